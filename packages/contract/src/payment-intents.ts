import { z } from 'zod'
import { currencies } from './currency.ts'
import { declineCodes } from './declines.ts'
import {
  boundedText,
  currency,
  DESCRIPTION_CHARS_MAX,
  formArray,
  formMap,
  idParam,
  listQuery,
  locale,
  metadata,
  minorAmount,
  optionalText,
} from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'

export const intentStatuses = ['requires_payment_method', 'processing', 'succeeded', 'canceled'] as const
export type IntentStatus = (typeof intentStatuses)[number]

export const cancellationReasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'] as const
export type CancellationReason = (typeof cancellationReasons)[number]

const LastPaymentError = z.strictObject({
  type: z.literal('rail_error'),
  code: z.enum(declineCodes),
  decline_code: z.string().nullable(),
  message: z.string().nullable(),
  payment_method_type: z.string(),
})

const NextAction = z.strictObject({
  type: z.literal('redirect_to_url'),
  redirect_to_url: z.strictObject({ url: z.string(), return_url: z.string().nullable() }),
})

/** Spec 2.4. `client_secret` is an absent key except on create and retrieve. */
export const PaymentIntent = z.strictObject({
  id: z.string().regex(/^pi_[0-9a-f]{32}$/),
  object: z.literal('payment_intent'),
  amount: z.int(),
  currency: z.enum(currencies),
  status: z.enum(intentStatuses),
  payment_method_types: z.array(z.string()),
  customer: z.string().nullable(),
  description: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  client_secret: z.string().optional(),
  next_action: NextAction.nullable(),
  last_payment_error: LastPaymentError.nullable(),
  invoice: z.string().nullable(),
  canceled_at: z.int().nullable(),
  cancellation_reason: z.enum(cancellationReasons).nullable(),
  created: z.int(),
  livemode: z.boolean(),
})
export type PaymentIntent = z.infer<typeof PaymentIntent>

/**
 * Spec 4.3.3: refused by name on create and confirm; `automatic` is the only capture method. They stand before all other
 * fields, because the first fault in the order of the fields is the one that is named.
 */
const refusedFields = {
  capture_method: z.literal('automatic', 'only automatic capture is supported').optional(),
  application_fee_amount: z.never('is not supported').optional(),
  transfer_data: z.never('is not supported').optional(),
  on_behalf_of: z.never('is not supported').optional(),
}

export const createPaymentIntent = operation({
  id: 'paymentIntents.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/payment_intents',
  body: z.object({
    ...refusedFields,
    // Spec 4.3.2: confirmation is a call of its own.
    confirm: z.literal('false', 'only false is accepted; confirm in a separate call').optional(),
    amount: minorAmount,
    currency,
    payment_method_types: formArray(boundedText(64)),
    customer: optionalText(255),
    description: optionalText(DESCRIPTION_CHARS_MAX),
    metadata,
  }),
  ok: { status: 201, schema: PaymentIntent },
})

export const listPaymentIntents = operation({
  id: 'paymentIntents.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/payment_intents',
  query: z.strictObject(listQuery('pi')),
  ok: { status: 200, schema: listOf(PaymentIntent) },
})

export const retrievePaymentIntent = operation({
  id: 'paymentIntents.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/payment_intents/{id}',
  params: z.object({ id: idParam('pi') }),
  ok: { status: 200, schema: PaymentIntent },
})

export const confirmParams = z.object({
  ...refusedFields,
  // `{ type?: string, [rail_code]: instrument }`: which rails exist is the deployment's, so the command reads it.
  payment_method_data: formMap,
  customer: optionalText(255),
  return_url: optionalText(2048),
  locale: locale.optional(),
})

export const confirmPaymentIntent = operation({
  id: 'paymentIntents.confirm',
  surface: 'v1',
  method: 'POST',
  path: '/v1/payment_intents/{id}/confirm',
  params: z.object({ id: idParam('pi') }),
  body: confirmParams,
  ok: { status: 200, schema: PaymentIntent },
})

export const cancelPaymentIntent = operation({
  id: 'paymentIntents.cancel',
  surface: 'v1',
  method: 'POST',
  path: '/v1/payment_intents/{id}/cancel',
  params: z.object({ id: idParam('pi') }),
  body: z.object({
    cancellation_reason: z
      .enum(cancellationReasons, `must be one of ${cancellationReasons.join(', ')}`)
      .optional(),
  }),
  ok: { status: 200, schema: PaymentIntent },
})
