import {
  claimDueCharges,
  type Deps,
  SETTLE_BATCH_MAX,
  type SettledCharge,
  settlePart,
} from '@merchant-payments/core'
import type { LaneLimits, Lanes } from '../lanes.ts'
import { startByRail, type StartedByRail } from './by-rail.ts'

/** A rail that hangs holds at most this many charges; other rails' charges are still claimed. */
export const SETTLE_LANES: LaneLimits = { claimMax: SETTLE_BATCH_MAX, fullAt: 300, inFlightMax: 1_000 }

/** Asks the rails for the status of due charges and writes the results (spec 1.5). */
export const startSettling = (
  deps: Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>,
  lanes: Lanes,
  onMoved: (charges: number) => void = () => {},
  onSettled: (charge: SettledCharge) => void = () => {},
): Promise<StartedByRail> =>
  startByRail({
    lanes,
    claim: (limit, busy) => claimDueCharges(deps, limit, busy, lanes.lost),
    work: (part) => settlePart(deps, part, onSettled),
    onMoved,
  })
