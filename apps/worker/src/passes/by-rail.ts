import type { Deps, Floors, RailAdapter, RailCode, RailPart, Rails } from '@merchant-payments/core'
import type { Tracer } from '@merchant-payments/telemetry'
import type { LaneLimits, Lanes } from '../lanes.ts'
import type { PassReport } from './pass.ts'

export interface RailDeps extends Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'> {
  readonly tracer: Tracer
  /** Default: read for each claim */
  readonly floors?: Floors
}

export interface RailLimits extends Pick<LaneLimits, 'claimMax' | 'fullAt'> {
  /** Passes that share the calls of one kind that a rail takes at once. */
  readonly sharedBy: number
}

/** With fewer, the claims would cost more than the calls that find no place. */
const CLAIM_MIN = 16

/**
 * Places for every rail's lane and for one of unknown rails, so that rails that hang take no place of another. A lane and
 * the last claim have no more jobs than its rail takes calls, unless these are fewer than CLAIM_MIN.
 */
export function lanesOfRails({ claimMax, fullAt, sharedBy }: RailLimits, rails: Rails): LaneLimits {
  const callsOf = ({ callsMax = Number.POSITIVE_INFINITY }: RailAdapter) => Math.floor(callsMax / sharedBy)
  const fewest = Math.min(...[...rails.values()].map(callsOf))
  const claimed = Math.min(claimMax, Math.max(CLAIM_MIN, Math.floor(fewest / 2)))
  return {
    claimMax: claimed,
    fullAt,
    fullAtOf: (lane) => {
      const rail = rails.get(lane as RailCode)
      return rail === undefined ? fullAt : Math.max(1, Math.min(fullAt, callsOf(rail) - claimed + 1))
    },
    inFlightMax: (rails.size + 1) * (fullAt + claimed),
  }
}

export interface StartedByRail extends PassReport {
  readonly claimed: number
  /** Settles when the last rail has answered and the results are written. */
  readonly ended: Promise<unknown>
}

export interface ByRail<Item> {
  readonly lanes: Lanes
  readonly claim: (limit: number, leftOut: readonly string[]) => Promise<readonly RailPart<Item>[]>
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
