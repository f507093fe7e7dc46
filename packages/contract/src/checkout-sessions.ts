import { z } from 'zod'
import { currencies } from './currency.ts'
import {
  boundedText,
  createdFilter,
  currency,
  formArray,
  idFilter,
  idParam,
  listQuery,
  locale,
  metadata,
  minorAmount,
  optionalText,
  unixSeconds,
  wordFilter,
} from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'

const sessionStatuses = ['open', 'complete', 'expired'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

const paymentStatuses = ['unpaid', 'paid'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

const uiModes = ['hosted', 'embedded'] as const
export type UiMode = (typeof uiModes)[number]

/** Spec 2.5. `client_secret` is an absent key except on create and retrieve. */
export const CheckoutSession = z.strictObject({
  id: z.string().regex(/^cs_[0-9a-f]{32}$/),
  object: z.literal('checkout.session'),
  status: z.enum(sessionStatuses),
  payment_status: z.enum(paymentStatuses),
  payment_intent: z.string(),
  amount: z.int(),
  currency: z.enum(currencies),
  payment_method_types: z.array(z.string()),
  customer: z.string().nullable(),
  ui_mode: z.enum(uiModes),
  url: z.string().nullable(),
  client_secret: z.string().optional(),
  success_url: z.string().nullable(),
  cancel_url: z.string().nullable(),
  return_url: z.string().nullable(),
  client_reference_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  expires_at: z.int(),
  created: z.int(),
  livemode: z.boolean(),
})
export type CheckoutSession = z.infer<typeof CheckoutSession>

/** docs/spec-gaps.md, checkout sessions. */
const DESCRIPTION_CHARS_MAX = 1000
const REFERENCE_CHARS_MAX = 200
const URL_CHARS_MAX = 2048

const address = optionalText(URL_CHARS_MAX)

/** The compatible API renamed its modes; both spellings are in use. */
const uiMode = z
  .enum(['hosted', 'hosted_page', 'embedded', 'embedded_page'], 'must be hosted or embedded')
  .transform((mode): UiMode => (mode.startsWith('hosted') ? 'hosted' : 'embedded'))
  .default('hosted')

export const createCheckoutSession = operation({
  id: 'checkout.sessions.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/checkout/sessions',
  body: z.object({
    // Silently dropped, these would make another session than was meant. Named before any other fault.
    line_items: z.never('is not supported; give amount and currency').optional(),
    mode: z.never('is not supported; every session takes one payment').optional(),
    amount_total: z.never('is not supported; give amount').optional(),
    // Either the merchant's own intent, or what a new one is made of: the command sees to it.
    payment_intent: optionalText(255),
    amount: minorAmount.optional(),
    currency: currency.optional(),
    payment_method_types: formArray(boundedText(64)).optional(),
    description: optionalText(DESCRIPTION_CHARS_MAX),
    customer: optionalText(255),
    ui_mode: uiMode,
    success_url: address,
    cancel_url: address,
    return_url: address,
    client_reference_id: optionalText(REFERENCE_CHARS_MAX),
    expires_at: unixSeconds.optional(),
    locale: locale.optional(),
    metadata,
  }),
  ok: { status: 200, schema: CheckoutSession },
})

export const listCheckoutSessions = operation({
  id: 'checkout.sessions.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/checkout/sessions',
  query: z.strictObject({
    ...listQuery('cs'),
    payment_intent: idFilter('pi'),
    customer: idFilter('cus'),
    status: wordFilter(sessionStatuses),
    created: createdFilter,
  }),
  ok: { status: 200, schema: listOf(CheckoutSession) },
})

export const retrieveCheckoutSession = operation({
  id: 'checkout.sessions.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/checkout/sessions/{id}',
  params: z.object({ id: idParam('cs') }),
  ok: { status: 200, schema: CheckoutSession },
})

export const expireCheckoutSession = operation({
  id: 'checkout.sessions.expire',
  surface: 'v1',
  method: 'POST',
  path: '/v1/checkout/sessions/{id}/expire',
  params: z.object({ id: idParam('cs') }),
  ok: { status: 200, schema: CheckoutSession },
})
