import { z } from 'zod'
import { idFilter, idParam, minorAmount } from '../form.ts'
import { listOf } from '../list.ts'
import { intentStatuses, PaymentIntent } from '../payment-intents.ts'
import { ApprovalRequest } from './approval-requests.ts'
import { AuditEntry } from './audit-entries.ts'
import { StaffChargeReturn } from './charge-returns.ts'
import { chargeStatuses, StaffCharge } from './charges.ts'
import { change, instant, payerFilter, staffListQuery, staffRead } from './common.ts'
import { StaffDelivery } from './deliveries.ts'
import { StaffFanout } from './fanouts.ts'
import { StaffRefund } from './refunds.ts'

/** An intent without what a payer needs alone: no secret, and no way to the rail's page. */
export const StaffIntent = PaymentIntent.omit({ client_secret: true, next_action: true }).extend({
  merchant: z.string(),
  refund_reserved: z.int(),
  /** The newest. */
  charge: z.strictObject({ id: z.string(), rail: z.string(), status: z.enum(chargeStatuses) }).nullable(),
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
const TimelineEntry = z.strictObject({
  at: instant,
  source: z.enum(timelineSources),
  id: z.string(),
  text: z.string(),
  detail: z.string().nullable(),
})

/** All about a payment, oldest first in `timeline`. Each list holds its newest hundred. */
export const StaffIntentDetail = StaffIntent.extend({
  checkout_session: z.string().nullable(),
  charges: z.array(StaffCharge),
  refunds: z.array(StaffRefund),
  /** Of its duplicate charges. */
  returns: z.array(StaffChargeReturn),
  /** Of changes of it and of its charges that take a second person. */
  approval_requests: z.array(ApprovalRequest),
  events: z.array(StaffFanout),
  deliveries: z.array(StaffDelivery),
  audit_entries: z.array(AuditEntry),
  timeline: z.array(TimelineEntry),
})
export type StaffIntentDetail = z.infer<typeof StaffIntentDetail>

export const listStaffIntents = staffRead({
  id: 'paymentIntents.list',
  path: '/payment_intents',
  query: z.strictObject({
    ...staffListQuery('pi'),
    status: z.enum(intentStatuses, `must be one of ${intentStatuses.join(', ')}`).optional(),
    rail: z.string('must be a single rail').optional(),
    customer: idFilter('cus'),
    payer: payerFilter,
  }),
  schema: listOf(StaffIntent),
})

export const retrieveStaffIntent = staffRead({
  id: 'paymentIntents.retrieve',
  path: '/payment_intents/{id}',
  params: z.object({ id: idParam('pi') }),
  schema: StaffIntentDetail,
})

export const cancelStaffIntent = change({
  id: 'paymentIntents.cancel',
  role: 'operator',
  path: '/payment_intents/{id}/cancel',
  prefix: 'pi',
})

/** All that is left unless an amount is named, and to the number that paid unless another one is. */
export const refundStaffIntent = change({
  id: 'paymentIntents.refund',
  isGrave: true,
  role: 'operator',
  path: '/payment_intents/{id}/refund',
  prefix: 'pi',
  body: { amount: minorAmount.optional(), msisdn: z.string('must be a single number').optional() },
})
