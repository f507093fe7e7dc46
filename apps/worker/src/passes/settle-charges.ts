import { claimParts, type Deps, type RailPart, SETTLE_BATCH_MAX, settlePart } from '@merchant-payments/core'
import type { LaneLimits, Lanes } from '../lanes.ts'
import type { PassReport } from './pass.ts'

/** A rail that hangs holds this many charges at most, and the others' are asked for past it. */
export const SETTLE_LANES: LaneLimits = { claimMax: SETTLE_BATCH_MAX, fullAt: 300, inFlightMax: 1_000 }

type SettleDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>

export interface StartedSettling extends PassReport {
  /** Settles when the last rail has answered and what followed is written. */
  readonly ended: Promise<unknown>
}

/**
 * Asks the rails about charges that are due, and writes what follows (spec 1.5), each rail's part by itself. Comes back
 * once they are claimed, so that the schedule claims again while a slow rail still thinks.
 *
 * @param onMoved is called for each part that changed payments, with how many
 */
export async function startSettling(
  deps: SettleDeps,
  lanes: Lanes,
  onMoved: (charges: number) => void = () => {},
): Promise<StartedSettling> {
  const limit = lanes.room()
  const parts = limit === 0 ? [] : await claimParts(deps, limit, lanes.full())
  const claimed = parts.reduce((total, { charges }) => total + charges.length, 0)
  const settle = async (part: RailPart): Promise<void> => {
    lanes.enter(part.rail, part.charges.length)
    const moved = await settlePart(deps, part).finally(() => lanes.leave(part.rail, part.charges.length))
    if (moved > 0) onMoved(moved)
  }
  return { full: claimed > 0 && claimed >= limit, ended: allEnded(parts.map(settle)) }
}

/** Only at the end, so that a part which could not be written took no other with it. */
async function allEnded(parts: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(parts)) if (result.status === 'rejected') throw result.reason
}
