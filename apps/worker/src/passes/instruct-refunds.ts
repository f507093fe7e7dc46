import {
  claimDueRefunds,
  claimDueReturns,
  type Due,
  INSTRUCT_BATCH_MAX,
  instructRefundPart,
  instructReturnPart,
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

/** Instructs and queries refunds that their rail has neither accepted nor refused (spec 4.5.1). */
export const startInstructing = (
  deps: RailDeps,
  lanes: Lanes,
  onMoved: (refunds: number) => void = () => {},
): Promise<StartedByRail> =>
  startByRail({
    lanes,
    claim: (limit, leftOut) => claimDueRefunds(deps, { limit, leftOut, lost: lanes.lost }),
    work: (part, onEnded) =>
      tracePart(deps.tracer, 'instruct refunds', part, requestOf, () =>
        instructRefundPart(deps, part, { onEnded, forRequest: deps.tracer.forRequest }),
      ),
    onMoved,
  })

export const startReturning = (deps: RailDeps, lanes: Lanes): Promise<StartedByRail> =>
  startByRail({
    lanes,
    claim: (limit, leftOut) => claimDueReturns(deps, { limit, leftOut, lost: lanes.lost }),
    work: (part, onEnded) =>
      tracePart(deps.tracer, 'instruct returns', part, requestOf, () =>
        instructReturnPart(deps, part, { onEnded, forRequest: deps.tracer.forRequest }),
      ),
    onMoved: () => undefined,
  })
