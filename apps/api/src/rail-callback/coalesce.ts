import type { CallbackReference, Clock, RailCode } from '@merchant-payments/core'

export type PullForward = (rail: RailCode, reference: CallbackReference) => Promise<void>

/** Well below the interval between two queries of a charge, so that nothing is learnt later for it. */
export const COALESCE_MS = 250
/** References that are remembered at once. Beyond, each call is a statement, as many at once as the surface runs. */
export const COALESCED_MAX = 1_000

type Within = (statement: () => Promise<void>) => Promise<void>

interface Recent {
  /** Null while the statement runs. */
  untilMs: number | null
  repeated: boolean
}

/**
 * Makes one statement of the calls for one reference within a short time. The first runs at once; one more runs when the
 * time is over, if there were others, since the rail may have been asked between the first and the last.
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
      // Nobody waits for it: where the database is away, the worker's own ladder asks the rail.
      if (recent.repeated) void run(key, rail, reference, (statement) => statement()).catch(() => undefined)
    }, COALESCE_MS).unref()
  }

  /** @param within runs a statement of the call's own, and not one that others have begun */
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
