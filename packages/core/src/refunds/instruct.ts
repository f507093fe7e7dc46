import type { PayoutLedger } from '../payouts/instruct.ts'
import { instructRefund, type Refund } from './refund.ts'
import { claimRefunds, findErasedRefunds, refundQueue } from './store.ts'
import { writeRefund } from './transitions.ts'

export const refundLedger: PayoutLedger<Refund> = {
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
