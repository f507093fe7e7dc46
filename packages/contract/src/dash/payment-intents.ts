import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { minorUnits, railCodeField } from '../fields.ts'
import {
  boundedText,
  idFilter,
  idParam,
  METADATA_VALUE_CHARS_MAX,
  minorAmount,
  wholeNumber,
  wordFilter,
} from '../form.ts'
import { listOf } from '../list.ts'
import { PaymentIntent } from '../payment-intents.ts'
import { ApprovalRequest } from './approval-requests.ts'
import { AuditEntry } from './audit-entries.ts'
import { StaffChargeReturn } from './charge-returns.ts'
import { chargeStatus, StaffCharge } from './charges.ts'
import {
  amountFilter,
  change,
  currencyFilter,
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
import { chargeStatuses, declineCodes, intentStatuses } from '../words.ts'

/** An intent without the payer's data: no secret, and no address of the rail's page. */
export const StaffIntent = PaymentIntent.omit({ client_secret: true, next_action: true })
  .extend({
    merchant: merchantField,
    refund_reserved: minorUnits('Part of the amount that refunds reserve.'),
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
    description: 'A payment intent, without its secret and without the address of the rail’s page.',
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

/** An entry of the timeline. `detail` quotes the rail, the receiver or staff, and is redacted on erasure. */
const TimelineEntry = z
  .strictObject({
    at: instant('When it happened.'),
    source: z.enum(timelineSources).describe('The kind of the record.'),
    id: z.string().describe('The id of the record.'),
    text: z
      .string()
      .describe(
        'What happened, as a fixed word: `created`, `opened`, `asked`, `accepted_request`, a status, the type of an event, or the action of an audit entry.',
      ),
    about: textOrNull(
      'The rail of a charge, the endpoint of a delivery, the charge of a return, or the state of an unfinished fan-out.',
      'for other entries',
    ),
    attempts: z.int().nullable().describe('Attempts of a finished delivery. Null for other entries.'),
    state: textOrNull(
      'The present state of a refund or a return. The instant at which it came about is not stored.',
      'for other entries',
    ),
    detail: textOrNull(
      'The words of the rail, the receiver or the staff member. `[redacted]` after an erasure.',
      'if there are none',
    ),
  })
  .meta({ id: 'TimelineEntry', description: 'One step in the life of a payment.' })

/** A payment with all its records; `timeline` is oldest first. Each list holds its newest hundred. */
export const StaffIntentDetail = StaffIntent.extend({
  checkout_session: textOrNull('The id of the checkout session.', 'if the intent has none'),
  charges: z.array(StaffCharge).describe('Its charges, newest first: at most 100.'),
  refunds: z.array(StaffRefund).describe('Its refunds, newest first: at most 100, and at most 256 KiB.'),
  has_more_refunds: z.boolean().describe('Whether it has older refunds than these.'),
  returns: z
    .array(StaffChargeReturn)
    .describe('Returns of its duplicate charges, newest first: at most 100.'),
  approval_requests: z
    .array(ApprovalRequest)
    .describe('Approval requests for it and for its charges, newest first: at most 100.'),
  events: z.array(StaffFanout).describe('Its events, newest first: at most 100.'),
  deliveries: z.array(StaffDelivery).describe('Deliveries of its events, newest first: at most 100.'),
  audit_entries: z.array(AuditEntry).describe('Changes by staff, newest first: at most 100.'),
  timeline: z.array(TimelineEntry).describe('The steps in the life of the payment, oldest first.'),
}).meta({
  id: 'StaffIntentDetail',
  description: 'A payment with all its records. Each list holds its newest hundred.',
})
export type StaffIntentDetail = z.infer<typeof StaffIntentDetail>

/** A key of 40 characters, the sign and a value. */
const METADATA_FILTER_CHARS_MAX = 41 + METADATA_VALUE_CHARS_MAX

export const intentFilters = {
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
  amount: amountFilter,
  currency: currencyFilter,
  charge: wordFilter(chargeStatuses).describe('Shows payments whose newest charge is in this state.'),
  decline: wordFilter(declineCodes as readonly [string, ...string[]]).describe(
    'Shows payments whose last error has this code.',
  ),
  metadata: boundedText(METADATA_FILTER_CHARS_MAX)
    .optional()
    .describe(
      'Shows payments with this value in their metadata, such as `A-1042`, or with this pair, such as `order=A-1042`.',
    ),
}

export const listStaffIntents = staffRead({
  id: 'paymentIntents.list',
  path: '/payment_intents',
  summary: 'List payments of all merchants',
  description: [
    'Pages through the payment intents of all merchants, newest first. All given filters must hold. A list under a number’s handle is written to the audit log as `number.look_up`.',
  ],
  query: z.strictObject({
    ...staffListQuery('pi'),
    ...intentFilters,
  }),
  schema: listOf(StaffIntent),
  ok: 'One page of payment intents.',
  example: { params: { status: 'processing' }, answer: { object: 'list' } },
})

export const retrieveStaffIntent = staffRead({
  id: 'paymentIntents.retrieve',
  path: '/payment_intents/{id}',
  summary: 'Open a payment with its history',
  description: ['Reads a payment intent with its charges, refunds, events, deliveries and changes by staff.'],
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
    'Cancels an unpaid intent, as the merchant’s own call does. A late success still makes it `succeeded`.',
  ],
  errors: ['intent_canceled', 'charge_terminal'],
  example: {
    id: exampleIds.intent,
    params: { reason: 'Requested by the merchant.' },
    answer: { object: 'audit_entry', action: 'payment_intent.cancel', target: exampleIds.intent },
  },
})

/** Defaults: the unrefunded rest of the amount, and the number that paid. */
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
        'Amount to refund: 1 to 99 999 999, in minor units of the payment’s currency. Default: the unrefunded rest.',
      ),
    msisdn: z
      .string('must be a single number')
      .optional()
      .describe(
        'The number to pay, in any spelling. Default: the number that paid. Any other number requires a second staff member.',
      ),
    seen_refund_reserved: wholeNumber(0, 99_999_999)
      .optional()
      .describe(
        '`refund_reserved` of the payment as the caller saw it, in minor units. Nothing is compared without it.',
      ),
  },
  summary: 'Refund a payment for a merchant',
  description: [
    'Writes a refund as the merchant’s own call does; the worker instructs the rail.',
    'A refund to another number than the one that paid is stored as a request for approval instead.',
    'If refunds hold another amount of the payment than `seen_refund_reserved`, nothing is written and the answer is a 409 `intent_changed`: two people who handle one complaint do not both refund it.',
  ],
  errors: [
    'intent_changed',
    'intent_not_succeeded',
    'charge_unproven',
    'not_supported',
    'approval_pending',
    'staff_limit_reached',
  ],
  example: {
    id: exampleIds.paidIntent,
    params: { amount: 2000, seen_refund_reserved: 0, reason: 'One of two shirts came back.' },
    answer: { object: 'audit_entry', action: 'refund.create' },
  },
})
