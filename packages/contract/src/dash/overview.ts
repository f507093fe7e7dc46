import { z } from 'zod'
import { intentStatuses } from '../payment-intents.ts'
import { chargeStatuses } from './charges.ts'
import { instant, staffRead } from './common.ts'

/** What waits, and since when; `count` stops at 10 000. */
const Waiting = z.strictObject({ count: z.int(), oldest: instant.nullable() })

/** How things stand. Counts of payments are of the last day, and stop at `counted_at_most` for each merchant. */
export const Overview = z.strictObject({
  object: z.literal('overview'),
  at: instant,
  since: instant,
  counted_at_most: z.int(),
  payment_intents: z.array(z.strictObject({ status: z.enum(intentStatuses), count: z.int() })),
  charges: z.array(z.strictObject({ rail: z.string(), status: z.enum(chargeStatuses), count: z.int() })),
  live_charges: Waiting,
  stuck_charges: Waiting,
  duplicate_charges: Waiting,
  pending_deliveries: Waiting,
  exhausted_deliveries: Waiting,
  dead_letters: Waiting,
  pending_fanouts: Waiting,
  failed_fanouts: Waiting,
  refunds_to_instruct: Waiting,
  pending_approvals: Waiting,
  disabled_clients: z.int(),
})
export type Overview = z.infer<typeof Overview>

export const retrieveOverview = staffRead({ id: 'overview.retrieve', path: '/overview', schema: Overview })
