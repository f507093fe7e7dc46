import {
  type CheckHooks,
  checkPart,
  claimDue,
  type InstructDeps,
  type PayoutLedger,
} from '../payouts/instruct.ts'
import type { Due } from '../payouts/payout.ts'
import type { Room } from '../queue/leases.ts'
import type { RailPart } from '../queue/rail-parts.ts'
import { type ChargeReturn, instructReturn } from './charge-return.ts'
import { claimReturns, findErasedReturns, returnQueue } from './store.ts'
import { writeReturn } from './transitions.ts'

type DueReturns = RailPart<Due<ChargeReturn>>

const returnLedger: PayoutLedger<ChargeReturn> = {
  queue: returnQueue,
  claim: claimReturns,
  findErased: findErasedReturns,
  write: async (writer, { payout, job }, move, { job: effect, raised }, nowMs) => {
    const change = instructReturn(payout, move)
    const options = { job: effect, leaseUntilMs: job.leaseUntilMs, raised }
    return (await writeReturn(writer, change, options, nowMs)) ? change.after : null
  },
}

export const claimDueReturns = (deps: InstructDeps, room: Room): Promise<DueReturns[]> =>
  claimDue(deps, returnLedger, room)

/** @returns how many returns their rails have now accepted or refused */
export const instructReturnPart = (
  deps: InstructDeps,
  part: DueReturns,
  hooks?: CheckHooks,
): Promise<number> => checkPart(deps, returnLedger, part, hooks)
