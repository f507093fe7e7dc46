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
import { instructRefund, type Refund } from './refund.ts'
import { claimRefunds, findErasedRefunds, refundQueue } from './store.ts'
import { writeRefund } from './transitions.ts'

export const INSTRUCT_BATCH_MAX = 50

type DueRefunds = RailPart<Due<Refund>>

const refundLedger: PayoutLedger<Refund> = {
  queue: refundQueue,
  claim: claimRefunds,
  findErased: findErasedRefunds,
  write: async (writer, { payout, job }, move, { job: effect, raised }, nowMs) => {
    if (payout.status !== 'pending') throw new Error(`a refund that is ${payout.status} is not instructed`)
    const change = instructRefund(payout, move, nowMs)
    const options = { job: effect, leaseUntilMs: job.leaseUntilMs, raised }
    return (await writeRefund(writer, change, null, options, nowMs)) ? change.after : null
  },
}

export const claimDueRefunds = (deps: InstructDeps, room: Room): Promise<DueRefunds[]> =>
  claimDue(deps, refundLedger, room)

/** @returns how many refunds their rails have now accepted or refused */
export const instructRefundPart = (
  deps: InstructDeps,
  part: DueRefunds,
  hooks?: CheckHooks,
): Promise<number> => checkPart(deps, refundLedger, part, hooks)
