import { z } from 'zod'
import { objectField, railCodeField } from '../fields.ts'
import { intentStatus } from '../payment-intents.ts'
import { chargeStatus } from './charges.ts'
import { instant, instantOrNull, staffRead } from './common.ts'

/** A count of waiting objects. It stops at 10 000. */
const Waiting = z
  .strictObject({
    count: z.int().describe('Number of waiting objects. The count stops at 10 000.'),
    oldest: instantOrNull(
      'Since when the oldest of the counted objects has waited: deliveries, events and refunds since they were made.',
      'if none waits',
    ),
  })
  .meta({ id: 'Waiting', description: 'A count of waiting objects, and the age of the oldest.' })

const counted = z.int().describe('Count among the newest `counted_at_most` objects of the last day.')

/** State of the deployment. Payment counts cover the newest `counted_at_most` objects of the last day. */
export const Overview = z
  .strictObject({
    object: objectField('overview'),
    at: instant('When the overview was made.'),
    since: instant('Start of the counted time: one day before `at`.'),
    counted_at_most: z
      .int()
      .describe('How many payment intents, and how many charges, are counted at most: the newest ones.'),
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
    duplicate_charges: Waiting.describe('Duplicate charges without a return.'),
    mismatched_charges: Waiting.describe(
      'Unpaid charges for which the rail reports money of another amount or currency.',
    ),
    attention_items: Waiting.describe('Alerts about an object that are not resolved.'),
    pending_deliveries: Waiting.describe('Webhook deliveries with a further attempt due.'),
    exhausted_deliveries: Waiting.describe('Webhook deliveries whose attempts have all failed.'),
    dead_letters: Waiting.describe('Webhook deliveries that rest because of a fault of the service.'),
    pending_fanouts: Waiting.describe('Events without deliveries yet.'),
    failed_fanouts: Waiting.describe('Events whose fan-out has failed.'),
    refunds_to_instruct: Waiting.describe(
      'Refunds that their rail has neither accepted nor refused, and that the worker still handles.',
    ),
    pending_approvals: Waiting.describe('Changes that wait for a second staff member.'),
    disabled_clients: z.int().describe('How many merchants are disabled.'),
  })
  .meta({
    id: 'Overview',
    description: 'The state of the deployment: payments of the last day, and waiting objects.',
  })
export type Overview = z.infer<typeof Overview>

export const retrieveOverview = staffRead({
  id: 'overview.retrieve',
  path: '/overview',
  summary: 'Show the state of the deployment',
  description: ['Counts the payments of the last day and all waiting objects.'],
  schema: Overview,
  ok: 'The overview.',
  example: { answer: { object: 'overview', disabled_clients: 0 } },
})
