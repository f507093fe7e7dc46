import type { Deps, RailPart, Rails } from '@merchant-payments/core'
import type { Tracer } from '@merchant-payments/telemetry'
import type { LaneLimits, Lanes } from '../lanes.ts'
import type { PassReport } from './pass.ts'

export interface RailDeps extends Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'> {
  readonly tracer: Tracer
}

export type RailLimits = Pick<LaneLimits, 'claimMax' | 'fullAt'>

/** Places for every rail's lane and for one of unknown rails, so that rails that hang take no place of another. */
export const lanesOfRails = ({ claimMax, fullAt }: RailLimits, rails: Rails): LaneLimits => ({
  claimMax,
  fullAt,
  inFlightMax: (rails.size + 1) * (fullAt + claimMax),
})

export interface StartedByRail extends PassReport {
  readonly claimed: number
  /** Settles when the last rail has answered and the results are written. */
  readonly ended: Promise<unknown>
}

export interface ByRail<Item> {
  readonly lanes: Lanes
  readonly claim: (limit: number, busy: readonly string[]) => Promise<readonly RailPart<Item>[]>
  /** @param onEnded called when some items of the part are done, before the others */
  readonly work: (part: RailPart<Item>, onEnded: (items: number) => void) => Promise<number>
  readonly onMoved: (items: number) => void
}

/**
 * Claims due items and asks their rails, one part per rail. Returns once the items are claimed, so the
 * schedule can claim again while a slow rail has not answered.
 */
export async function startByRail<Item>({
  lanes,
  claim,
  work,
  onMoved,
}: ByRail<Item>): Promise<StartedByRail> {
  const limit = lanes.room()
  const parts = limit === 0 ? [] : await claim(limit, lanes.full())
  const claimed = parts.reduce((total, { items }) => total + items.length, 0)
  const start = async (part: RailPart<Item>): Promise<void> => {
    const { rail, items } = part
    let left = items.length
    const leave = (ended: number) => {
      lanes.leave(rail, ended)
      left -= ended
    }
    lanes.enter(rail, left)
    const moved = await work(part, leave).finally(() => leave(left))
    if (moved > 0) onMoved(moved)
  }
  return { full: claimed > 0 && claimed >= limit, claimed, ended: allEnded(parts.map(start)) }
}

/** Waits for all parts before it throws, so that one failed part does not abandon the others. */
async function allEnded(parts: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(parts)) if (result.status === 'rejected') throw result.reason
}
