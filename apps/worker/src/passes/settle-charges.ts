import { claimDueCharges, type Deps, SETTLE_BATCH_MAX, settlePart } from '@merchant-payments/core'
import type { LaneLimits, Lanes } from '../lanes.ts'
import { startByRail, type StartedByRail } from './by-rail.ts'

/** A rail that hangs holds this many charges at most, and the others' are asked for past it. */
export const SETTLE_LANES: LaneLimits = { claimMax: SETTLE_BATCH_MAX, fullAt: 300, inFlightMax: 1_000 }

/** Asks the rails about charges that are due, and writes what follows (spec 1.5). */
export const startSettling = (
  deps: Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>,
  lanes: Lanes,
  onMoved: (charges: number) => void = () => {},
): Promise<StartedByRail> =>
  startByRail({
    lanes,
    claim: (limit, busy) => claimDueCharges(deps, limit, busy, lanes.lost),
    work: (part) => settlePart(deps, part),
    onMoved,
  })
