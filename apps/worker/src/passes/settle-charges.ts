import {
  type Charge,
  claimDueCharges,
  type RailPart,
  SETTLE_BATCH_MAX,
  type SettledCharge,
  type SettleHooks,
  settlePart,
} from '@merchant-payments/core'
import type { Lanes } from '../lanes.ts'
import { type RailDeps, type RailLimits, startByRail, type StartedByRail } from './by-rail.ts'
import { tracePart } from './traced.ts'

/** A rail that hangs holds at most this many charges and a claim; other rails' charges are still claimed. */
export const SETTLE_LANES: RailLimits = { claimMax: SETTLE_BATCH_MAX, fullAt: 300, sharedBy: 1 }

/** Asks the rails for the status of due charges and writes the results (spec 1.5). */
export const startSettling = (
  deps: RailDeps,
  lanes: Lanes,
  onMoved: (charges: number) => void = () => {},
  onSettled: (charge: SettledCharge) => void = () => {},
): Promise<StartedByRail> =>
  startByRail({
    lanes,
    claim: (limit, leftOut) =>
      claimDueCharges(deps, { limit, leftOut, lost: lanes.lost, floors: deps.floors }),
    work: (part, onEnded) =>
      tracePart(deps.tracer, 'settle charges', part, requestOf, () =>
        settle(deps, part, { onSettled, onEnded }),
      ),
    onMoved,
  })

const requestOf = ({ requestId }: Charge) => requestId

/** The span of a charge begins with its batch, because the statement that settles it waits for others of the batch. */
function settle(
  { tracer, ...deps }: RailDeps,
  part: RailPart<Charge>,
  { onSettled, onEnded }: Required<Pick<SettleHooks, 'onSettled' | 'onEnded'>>,
): Promise<number> {
  const startedAtMs = deps.clock()
  return settlePart(deps, part, {
    forRequest: tracer.forRequest,
    onEnded,
    onSettled: (charge) => {
      const { rail, status, requestId } = charge
      tracer.forRequest(requestId, () => {
        tracer.start('settle charge', 'internal', startedAtMs).end({ rail, status }, false)
      })
      onSettled(charge)
    },
  })
}
