import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { minorUnits, railCodeField } from '../fields.ts'
import { idFilter, idParam, minorAmount } from '../form.ts'
import { listOf } from '../list.ts'
import { intentStatuses, PaymentIntent } from '../payment-intents.ts'
import { ApprovalRequest } from './approval-requests.ts'
import { AuditEntry } from './audit-entries.ts'
import { StaffChargeReturn } from './charge-returns.ts'
import { chargeStatus, StaffCharge } from './charges.ts'
import {
  change,
  instant,
  merchantField,
  payerFilter,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'
import { StaffDelivery } from './deliveries.ts'
import { StaffFanout } from './fanouts.ts'
import { StaffRefund } from './refunds.ts'

/** An intent without what a payer needs alone: no secret, and no way to the rail's page. */
export const StaffIntent = PaymentIntent.omit({ client_secret: true, next_action: true })
  .extend({
    merchant: merchantField,
    refund_reserved: minorUnits('What refunds hold of the amount.'),
    charge: z
      .strictObject({
        id: z.string().describe('The id of the charge.'),
        rail: railCodeField('The rail of the charge.'),
        status: chargeStatus,
      })
      .nullable()
      .describe('The newest charge. Null if the intent was never confirmed.'),
  })
  .meta({
    id: 'StaffIntent',
    description: 'A payment intent, without its secret and without the way to the rail’s page.',
  })
export type StaffIntent = z.infer<typeof StaffIntent>

const timelineSources = [
  'intent',
  'charge',
  'rail',
  'event',
  'delivery',
  'refund',
  'return',
  'staff',
] as const

/** One thing that happened; `text` is a word of ours, `detail` the words of somebody else, redacted on erasure. */
const TimelineEntry = z
  .strictObject({
    at: instant('When it happened.'),
    source: z.enum(timelineSources).describe('What kind of record tells it.'),
    id: z.string().describe('The id of that record.'),
    text: z.string().describe('What happened, as a word of the service.'),
    detail: textOrNull(
      'The words of the rail, the receiver or the staff member. Redacted on erasure.',
      'if there are none',
    ),
  })
  .meta({ id: 'TimelineEntry', description: 'One thing that happened to a payment.' })

/** All about a payment, oldest first in `timeline`. Each list holds its newest hundred. */
export const StaffIntentDetail = StaffIntent.extend({
  checkout_session: textOrNull('The id of the checkout session.', 'if the intent has none'),
  charges: z.array(StaffCharge).describe('Its charges, newest first: at most 100.'),
  refunds: z.array(StaffRefund).describe('Its refunds, newest first: at most 100.'),
  returns: z
    .array(StaffChargeReturn)
    .describe('Returns of its duplicate charges, newest first: at most 100.'),
  approval_requests: z
    .array(ApprovalRequest)
    .describe('Requests for approval of changes to it and to its charges, newest first: at most 100.'),
  events: z.array(StaffFanout).describe('Its events, newest first: at most 100.'),
  deliveries: z.array(StaffDelivery).describe('Deliveries of its events, newest first: at most 100.'),
  audit_entries: z.array(AuditEntry).describe('What staff did to it, newest first: at most 100.'),
  timeline: z.array(TimelineEntry).describe('All that happened, oldest first.'),
}).meta({ id: 'StaffIntentDetail', description: 'All about a payment. Each list holds its newest hundred.' })
export type StaffIntentDetail = z.infer<typeof StaffIntentDetail>

export const listStaffIntents = staffRead({
  id: 'paymentIntents.list',
  path: '/payment_intents',
  summary: 'List payments of all merchants',
  description: [
    'Pages through the payment intents of all merchants, newest first. All given filters must hold. A list under a number’s handle is written to the audit log as `number.look_up`.',
  ],
  query: z.strictObject({
    ...staffListQuery('pi'),
    status: z
      .enum(intentStatuses, `must be one of ${intentStatuses.join(', ')}`)
      .optional()
      .describe('Shows payments in this state.'),
    rail: z
      .string('must be a single rail')
      .optional()
      .describe('Shows payments with a charge on the rail with this code.'),
    customer: idFilter('cus').describe('Shows payments of this customer.'),
    payer: payerFilter,
  }),
  schema: listOf(StaffIntent),
  ok: 'One page of payment intents.',
  example: { params: { status: 'processing' }, answer: { object: 'list' } },
})

export const retrieveStaffIntent = staffRead({
  id: 'paymentIntents.retrieve',
  path: '/payment_intents/{id}',
  summary: 'Open a payment with all that happened to it',
  description: [
    'Reads a payment intent with its charges, refunds, events, deliveries and what staff did to it.',
  ],
  params: z.object({ id: idParam('pi') }),
  schema: StaffIntentDetail,
  ok: 'The payment.',
  example: { id: exampleIds.intent, answer: { id: exampleIds.intent, object: 'payment_intent' } },
})

export const cancelStaffIntent = change({
  id: 'paymentIntents.cancel',
  role: 'operator',
  path: '/payment_intents/{id}/cancel',
  prefix: 'pi',
  summary: 'Cancel a payment for a merchant',
  description: [
    'Cancels an intent that is not paid, as the merchant’s own call does. A late success still makes it succeeded.',
  ],
  errors: ['intent_canceled', 'charge_terminal'],
  example: {
    id: exampleIds.intent,
    params: { reason: 'The merchant asked for it.' },
    answer: { object: 'audit_entry', action: 'payment_intent.cancel', target: exampleIds.intent },
  },
})

/** All that is left unless an amount is named, and to the number that paid unless another one is. */
export const refundStaffIntent = change({
  id: 'paymentIntents.refund',
  isGrave: true,
  role: 'operator',
  path: '/payment_intents/{id}/refund',
  prefix: 'pi',
  body: {
    amount: minorAmount
      .optional()
      .describe(
        'What to pay back: 1 to 99 999 999, in minor units of the payment’s currency. All that is left if it is not sent.',
      ),
    msisdn: z
      .string('must be a single number')
      .optional()
      .describe(
        'The number to pay, in any spelling. The number that paid if it is not sent. Any other number takes a second staff member.',
      ),
  },
  summary: 'Refund a payment for a merchant',
  description: [
    'Writes a refund as the merchant’s own call does; the worker instructs the rail.',
    'A refund to a number that is not known to have paid is stored as a request for approval instead.',
  ],
  errors: [
    'intent_not_succeeded',
    'charge_unproven',
    'not_supported',
    'approval_pending',
    'staff_limit_reached',
  ],
  example: {
    id: exampleIds.paidIntent,
    params: { amount: 2000, reason: 'One of two shirts came back.' },
    answer: { object: 'audit_entry', action: 'refund.create' },
  },
})
