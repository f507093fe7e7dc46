import {
  checkPayouts,
  claimDuePayouts,
  type Due,
  INSTRUCT_BATCH_MAX,
  type Payout,
  type PayoutLedger,
  refundLedger,
  returnLedger,
} from '@merchant-payments/core'
import type { Lanes } from '../lanes.ts'
import { type RailDeps, type RailLimits, startByRail, type StartedByRail } from './by-rail.ts'
import { tracePart } from './traced.ts'

/**
 * A rail that hangs holds at most this many refunds and a claim; other rails' refunds are still claimed. Refunds and
 * returns share its connections.
 */
export const INSTRUCT_LANES: RailLimits = { claimMax: INSTRUCT_BATCH_MAX, fullAt: 150, sharedBy: 2 }

const requestOf = ({ requestId }: Due) => requestId

const instructing =
  <P extends Payout>(ledger: PayoutLedger<P>, spanName: string) =>
  (
    deps: RailDeps,
    lanes: Lanes,
    onMoved: (payouts: number) => void = () => undefined,
  ): Promise<StartedByRail> =>
    startByRail({
      lanes,
      claim: (limit, leftOut) =>
        claimDuePayouts(deps, ledger, { limit, leftOut, lost: lanes.lost, floors: deps.floors }),
      work: (part, onEnded) =>
        tracePart(deps.tracer, spanName, part, requestOf, () =>
          checkPayouts(deps, ledger, part, { onEnded, forRequest: deps.tracer.forRequest }),
        ),
      onMoved,
    })

/** Instructs and queries refunds that their rail has neither accepted nor refused (spec 4.5.1). */
export const startInstructing = instructing(refundLedger, 'instruct refunds')

export const startReturning = instructing(returnLedger, 'instruct returns')
