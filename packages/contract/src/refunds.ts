import { z } from 'zod'
import { currencies } from './currency.ts'
import { declineCodes } from './declines.ts'
import {
  createdFilter,
  formMap,
  idFilter,
  idParam,
  listQuery,
  metadata,
  minorAmount,
  requiredText,
} from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'

export const refundStatuses = ['requires_action', 'pending', 'failed', 'canceled'] as const
export type RefundStatus = (typeof refundStatuses)[number]

const refundReasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const
export type RefundReason = (typeof refundReasons)[number]

/** Why no money will move: the rail refused, or was never to be instructed. */
const refundFailures = [...declineCodes, 'not_supported', 'customer_erased'] as const
export type RefundFailure = (typeof refundFailures)[number]

/** Spec 2.7. The number that is paid is on no surface: `destination_details` names the rail alone. */
export const Refund = z.strictObject({
  id: z.string().regex(/^re_[0-9a-f]{32}$/),
  object: z.literal('refund'),
  amount: z.int(),
  currency: z.enum(currencies),
  payment_intent: z.string(),
  status: z.enum(refundStatuses),
  fee: z.null(),
  reason: z.enum(refundReasons).nullable(),
  failure_reason: z.enum(refundFailures).nullable(),
  destination_details: z.strictObject({ type: z.string() }),
  metadata: z.record(z.string(), z.string()),
  created: z.int(),
  livemode: z.boolean(),
})
export type Refund = z.infer<typeof Refund>

export const createRefund = operation({
  id: 'refunds.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds',
  body: z.object({
    // Named before any other fault.
    charge: z.never('is not supported: name the payment_intent').optional(),
    payment_intent: requiredText,
    amount: minorAmount.optional(),
    reason: z.enum(refundReasons, `must be one of ${refundReasons.join(', ')}`).optional(),
    metadata,
    // `{ [rail_code]: { msisdn } }`: which rails exist is the deployment's, so the command reads it.
    destination: formMap,
  }),
  ok: { status: 201, schema: Refund },
})

export const listRefunds = operation({
  id: 'refunds.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/refunds',
  query: z.strictObject({ ...listQuery('re'), payment_intent: idFilter('pi'), created: createdFilter }),
  ok: { status: 200, schema: listOf(Refund) },
})

export const retrieveRefund = operation({
  id: 'refunds.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/refunds/{id}',
  params: z.object({ id: idParam('re') }),
  ok: { status: 200, schema: Refund },
})

/** Spec 4.2: metadata only; any other parameter is a 400 naming it. */
export const updateRefund = operation({
  id: 'refunds.update',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds/{id}',
  params: z.object({ id: idParam('re') }),
  body: z.strictObject({ metadata }),
  ok: { status: 200, schema: Refund },
})

export const cancelRefund = operation({
  id: 'refunds.cancel',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds/{id}/cancel',
  params: z.object({ id: idParam('re') }),
  ok: { status: 200, schema: Refund },
})
