import type { Deps } from '../deps.ts'
import {
  claimDue,
  type InstructDeps,
  lookAfterPart,
  type PayoutLedger,
  type Room,
} from '../payouts/instruct.ts'
import type { Due } from '../payouts/payout.ts'
import { type RailPart, workOnParts } from '../queue/rail-parts.ts'
import { instructRefund, type Refund } from './refund.ts'
import { claimRefunds, findErased, refundQueue } from './store.ts'
import { writeRefund } from './transitions.ts'

/** Refunds in one pass, processed side by side. */
export const INSTRUCT_BATCH_MAX = 50

export interface InstructReport {
  readonly claimed: number
  /** Refunds that their rails have accepted or refused. */
  readonly moved: number
}

type DueRefunds = RailPart<Due<Refund>>

const refundLedger: PayoutLedger<Refund> = {
  queue: refundQueue,
  claim: claimRefunds,
  findErased,
  write: async (writer, { payout, job }, move, effect, nowMs) => {
    if (payout.status !== 'pending') throw new Error(`a refund that is ${payout.status} is not instructed`)
    const change = instructRefund(payout, move, nowMs)
    const options = { job: effect, leaseUntilMs: job.leaseUntilMs }
    return (await writeRefund(writer, change, null, options, nowMs)) ? change.after : null
  },
}

/** One pass: leases refunds that their rails have neither accepted nor refused, and processes each of them. */
export async function instructRefunds(
  deps: InstructDeps,
  limit = INSTRUCT_BATCH_MAX,
): Promise<InstructReport> {
  return workOnParts(await claimDueRefunds(deps, { limit }), (part) => instructPart(deps, part))
}

/** Leases due refunds, except those of busy rails, and groups them by rail. */
export const claimDueRefunds = (
  deps: Pick<Deps, 'db' | 'clock' | 'fault'>,
  room: Room,
): Promise<DueRefunds[]> => claimDue(deps, refundLedger, room)

/** @returns how many refunds their rails have now accepted or refused */
export const instructPart = (deps: InstructDeps, part: DueRefunds): Promise<number> =>
  lookAfterPart(deps, refundLedger, part)
