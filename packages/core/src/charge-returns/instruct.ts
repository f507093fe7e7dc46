import type { PayoutLedger } from '../payouts/instruct.ts'
import { type ChargeReturn, instructReturn } from './charge-return.ts'
import { claimReturns, findErasedReturns, returnQueue } from './store.ts'
import { writeReturn } from './transitions.ts'

export const returnLedger: PayoutLedger<ChargeReturn> = {
  queue: returnQueue,
  claim: claimReturns,
  findErased: findErasedReturns,
  write: async (writer, { payout, job }, move, { job: effect, raised }, nowMs) => {
    const change = instructReturn(payout, move)
    const options = { job: effect, leaseUntilMs: job.leaseUntilMs, raised }
    return (await writeReturn(writer, change, options, nowMs)) ? change.after : null
  },
}
