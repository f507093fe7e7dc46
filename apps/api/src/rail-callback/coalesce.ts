import type { CallbackReference, Clock, RailCode } from '@merchant-payments/core'

export type PullForward = (rail: RailCode, reference: CallbackReference) => Promise<void>

/** Well below the interval between two queries of a charge, so it delays no result. */
export const COALESCE_MS = 250
/** References remembered at once. Calls for others run a statement each, bounded by the surface's slots. */
export const COALESCED_MAX = 1_000

type Within = (statement: () => Promise<void>) => Promise<void>

interface Recent {
  /** Null while the statement runs. */
  untilMs: number | null
  repeated: boolean
}

/**
 * Merges the calls for one reference within COALESCE_MS. The first runs at once. If others follow, one more statement
 * runs at the end, because the rail may have been asked before they came.
 */
export function coalesce(pullForward: PullForward, clock: Clock) {
  const recents = new Map<string, Recent>()

  async function run(
    key: string,
    rail: RailCode,
    reference: CallbackReference,
    within: Within,
  ): Promise<void> {
    const recent: Recent = { untilMs: null, repeated: false }
    recents.set(key, recent)
    try {
      await within(() => pullForward(rail, reference))
    } catch (error) {
      recents.delete(key)
      throw error
    }
    recent.untilMs = clock() + COALESCE_MS
    setTimeout(() => {
      if (recents.get(key) !== recent) return
      recents.delete(key)
      // No caller waits for it. If the database is unavailable, the worker's ladder asks the rail anyway.
      if (recent.repeated) void run(key, rail, reference, (statement) => statement()).catch(() => undefined)
    }, COALESCE_MS).unref()
  }

  /** @param within runs this call's own statement in a slot, but not one that it shares with an earlier call */
  return async (rail: RailCode, reference: CallbackReference, within: Within): Promise<void> => {
    const key = `${rail} ${reference.by} ${reference.value}`
    const recent = recents.get(key)
    if (recent !== undefined && (recent.untilMs === null || clock() < recent.untilMs)) {
      recent.repeated = true
    } else if (recent !== undefined || recents.size < COALESCED_MAX) {
      await run(key, rail, reference, within)
    } else {
      await within(() => pullForward(rail, reference))
    }
  }
}
