import { z } from 'zod'
import { objectField, railCodeField } from '../fields.ts'
import { intentStatus } from '../payment-intents.ts'
import { chargeStatus } from './charges.ts'
import { instant, instantOrNull, staffRead } from './common.ts'

/** What waits, and since when; `count` stops at 10 000. */
const Waiting = z
  .strictObject({
    count: z.int().describe('How many wait. The count stops at 10 000.'),
    oldest: instantOrNull('Since when the oldest waits, or when it is due.', 'if none waits'),
  })
  .meta({ id: 'Waiting', description: 'How many of something wait, and since when.' })

const counted = z
  .int()
  .describe('How many, of the last day. The count stops at `counted_at_most` for each merchant.')

/** How things stand. Counts of payments are of the last day, and stop at `counted_at_most` for each merchant. */
export const Overview = z
  .strictObject({
    object: objectField('overview'),
    at: instant('When the overview was made.'),
    since: instant('From when on payments are counted: one day before `at`.'),
    counted_at_most: z.int().describe('Payments of one merchant that are counted at most.'),
    payment_intents: z
      .array(z.strictObject({ status: intentStatus, count: counted }))
      .describe('Payment intents of the last day, by status.'),
    charges: z
      .array(
        z.strictObject({
          rail: railCodeField('The rail of the charges.'),
          status: chargeStatus,
          count: counted,
        }),
      )
      .describe('Charges of the last day, by rail and status.'),
    live_charges: Waiting.describe('Charges whose outcome is open.'),
    stuck_charges: Waiting.describe('Charges that have waited for their rail for 15 minutes.'),
    duplicate_charges: Waiting.describe('Duplicate charges that no return gives back yet.'),
    pending_deliveries: Waiting.describe('Webhook deliveries with an attempt ahead.'),
    exhausted_deliveries: Waiting.describe('Webhook deliveries whose attempts have all failed.'),
    dead_letters: Waiting.describe('Webhook deliveries that rest for a fault that is not the receiver’s.'),
    pending_fanouts: Waiting.describe('Events whose deliveries are not made yet.'),
    failed_fanouts: Waiting.describe('Events whose fan-out has failed.'),
    refunds_to_instruct: Waiting.describe('Refunds that the worker looks after.'),
    pending_approvals: Waiting.describe('Changes that wait for a second staff member.'),
    disabled_clients: z.int().describe('How many merchants are disabled.'),
  })
  .meta({
    id: 'Overview',
    description: 'How the deployment stands: payments of the last day, and what waits.',
  })
export type Overview = z.infer<typeof Overview>

export const retrieveOverview = staffRead({
  id: 'overview.retrieve',
  path: '/overview',
  summary: 'Show how the deployment stands',
  description: ['Counts the payments of the last day and all that waits, in one statement.'],
  schema: Overview,
  ok: 'The overview.',
  example: { answer: { object: 'overview', disabled_clients: 0 } },
})
