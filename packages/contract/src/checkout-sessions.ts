import { z } from 'zod'
import { exampleIds } from './examples.ts'
import {
  created,
  currencyField,
  idField,
  livemode,
  metadataField,
  minorUnits,
  objectField,
  railCodeField,
  unixSecondsField,
} from './fields.ts'
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
import { refusedFields } from './payment-intents.ts'

const sessionStatuses = ['open', 'complete', 'expired'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

const paymentStatuses = ['unpaid', 'paid'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

const uiModes = ['hosted', 'embedded'] as const
export type UiMode = (typeof uiModes)[number]

const sessionStatus = z.enum(sessionStatuses).meta({
  id: 'CheckoutSessionStatus',
  description:
    'State of a checkout session. `open`: it can be paid. `complete`: its intent is paid. `expired`: its time is over, or the merchant ended it. After `expires_at` a session accepts no payment, but stays `open` on /v1 until the hourly sweep.',
})

const paymentStatus = z.enum(paymentStatuses).meta({
  id: 'CheckoutPaymentStatus',
  description: 'Whether the session’s intent is paid. A late success makes an expired session `paid`.',
})

const uiModeField = z.enum(uiModes).meta({
  id: 'CheckoutUiMode',
  description:
    '`hosted`: a page of the service. `embedded`: a part of the merchant’s own page. Read this field to tell them apart: `url` is also null on a hosted session that has ended (spec 2.5).',
})

/** Spec 2.5. Only create and retrieve include the key `client_secret`. */
export const CheckoutSession = z
  .strictObject({
    id: idField('cs', exampleIds.session),
    object: objectField('checkout.session'),
    status: sessionStatus,
    payment_status: paymentStatus,
    payment_intent: z
      .string()
      .describe('The id of the payment intent that the session collects. Its events report the outcome.'),
    amount: minorUnits('Amount that the payer pays.'),
    currency: currencyField,
    payment_method_types: z
      .array(railCodeField('The code of a rail.'))
      .describe('Codes of the rails that the payer may use.'),
    customer: z
      .string()
      .nullable()
      .describe('The id of the intent’s customer when the session was created. Null if it had none.'),
    ui_mode: uiModeField,
    url: z
      .string()
      .nullable()
      .describe(
        'The page to send the payer to while a hosted session is open. Otherwise null, also in webhook bodies. Its fragment holds the session’s secret: do not log it.',
      ),
    client_secret: z
      .string()
      .optional()
      .describe(
        'Lets the payer’s device read this session, and read and confirm its intent, on /v1/browser. Present only in the answers to create and retrieve. Give it only to the payer.',
      ),
    success_url: z
      .string()
      .nullable()
      .describe(
        'Address of the hosted page’s link back to the shop after the payer has paid, as it was sent. Null if there is none.',
      ),
    cancel_url: z
      .string()
      .nullable()
      .describe(
        'Address of the hosted page’s link back to the shop while the payment is not paid, as it was sent. Null if there is none.',
      ),
    return_url: z
      .string()
      .nullable()
      .describe(
        'Address of the link back to the shop if the session has no `success_url` or `cancel_url` for it, as it was sent. Null if there is none.',
      ),
    client_reference_id: z
      .string()
      .nullable()
      .describe('The merchant’s own reference, at most 200 characters. Null if there is none.'),
    metadata: metadataField,
    expires_at: unixSecondsField('When the session ends: after this instant it accepts no payment.'),
    created,
    livemode,
  })
  .meta({
    id: 'CheckoutSession',
    description:
      'A payment that a payer makes on a page (spec 2.5). It belongs to one payment intent, whose events report the outcome.',
  })
export type CheckoutSession = z.infer<typeof CheckoutSession>

/** docs/spec-gaps.md, checkout sessions. */
const DESCRIPTION_CHARS_MAX = 1000
const REFERENCE_CHARS_MAX = 200
const URL_CHARS_MAX = 2048

const address = optionalText(URL_CHARS_MAX)

const ADDRESS_RULES = `https, or http in test mode; with \`https://\`, and without spaces or backslashes; at most ${URL_CHARS_MAX} characters. \`{CHECKOUT_SESSION_ID}\` in it becomes the session’s id.`

/** The compatible API renamed its modes, and clients use both spellings. */
const uiMode = z
  .enum(['hosted', 'hosted_page', 'embedded', 'embedded_page'], 'must be hosted or embedded')
  .transform((mode): UiMode => (mode.startsWith('hosted') ? 'hosted' : 'embedded'))
  .default('hosted')
  .describe(
    'Whether the payer pays on a page of the service or on a part of your own: `hosted` by default. `hosted_page` and `embedded_page` are other spellings of the same modes.',
  )

export const createCheckoutSession = operation({
  id: 'checkout.sessions.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/checkout/sessions',
  summary: 'Create a page on which a payer pays',
  description: [
    'Creates a checkout session. Send `amount`, `currency` and `payment_method_types` to create a payment intent with it, or send an existing `payment_intent`. Send the payer to `url`, or give `client_secret` to an embedded page.',
    'The events of the intent report the outcome. A session writes no event when it is paid (spec 6.1).',
    'An intent has at most one session, ever. An intent of an invoice cannot have one, nor one that payers can no longer confirm: `too_many_attempts` after their 10 charges, `intent_has_no_rail` if the deployment has none of its rails in its currency.',
  ],
  body: z.object({
    // Ignoring these would create a session that the client did not mean. They come first, because the first fault is
    // reported.
    line_items: z.never('is not supported; give amount and currency').optional(),
    mode: z.never('is not supported; every session takes one payment').optional(),
    amount_total: z.never('is not supported; give amount').optional(),
    // Its metadata would be missing in the events of the payment, which name the merchant's order.
    payment_intent_data: z.never('is not supported; give metadata and description').optional(),
    ...refusedFields,
    // Either an existing intent or the fields of a new one. The command validates the combination.
    payment_intent: optionalText(255).describe(
      'The id of a payment intent of yours that waits for a payment method and never had a session. If you also send an amount, currency, customer, description or rails, they must match the intent, or the answer is a 400.',
    ),
    amount: minorAmount
      .optional()
      .describe(
        'Amount that the payer pays: 1 to 99 999 999, in minor units of the currency. Required without `payment_intent`.',
      ),
    currency: currency
      .optional()
      .describe('Currency of the amount, in upper or lower case. Required without `payment_intent`.'),
    payment_method_types: formArray(boundedText(64))
      .optional()
      .describe(
        'Codes of the rails that the payer may use, each enabled by the deployment. Required without `payment_intent`.',
      ),
    description: optionalText(DESCRIPTION_CHARS_MAX).describe(
      `Your own text for the payment, at most ${DESCRIPTION_CHARS_MAX} characters. The payer’s device can read it.`,
    ),
    customer: optionalText(255).describe(
      'The id of a customer of yours. An unknown id, and one of another merchant, is the same 400.',
    ),
    ui_mode: uiMode,
    success_url: address.describe(
      `Address of the hosted page’s link back to the shop after the payer has paid. Required for a hosted session: ${ADDRESS_RULES}`,
    ),
    cancel_url: address.describe(
      `Address of the hosted page’s link back to the shop while the payment is not paid: ${ADDRESS_RULES}`,
    ),
    return_url: address.describe(
      `Address of the link back to the shop if \`success_url\` or \`cancel_url\` is not sent: ${ADDRESS_RULES}`,
    ),
    client_reference_id: optionalText(REFERENCE_CHARS_MAX).describe(
      `Your own reference, such as an order’s number, at most ${REFERENCE_CHARS_MAX} characters.`,
    ),
    expires_at: unixSeconds
      .optional()
      .describe(
        'When the session ends, in Unix seconds: 30 minutes to 24 hours ahead. Default: 24 hours ahead.',
      ),
    locale: locale
      .optional()
      .describe('The language of the hosted page, `fr` or `en`. Default: the payer’s language.'),
    metadata: metadata.describe(
      'Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most 500 characters. A payment intent that is created with the session gets them too, and the payer’s device can read them.',
    ),
  }),
  errors: [
    'customer_erased',
    'intent_has_session',
    'intent_has_invoice',
    'charge_in_progress',
    'charge_terminal',
    'intent_canceled',
    'too_many_attempts',
    'intent_has_no_rail',
  ],
  ok: {
    status: 200,
    schema: CheckoutSession,
    description: 'The new checkout session, with its `client_secret`.',
  },
  example: {
    params: {
      amount: 5000,
      currency: 'XAF',
      payment_method_types: ['mtn_momo_cm'],
      success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
      metadata: { order: '42' },
    },
    answer: {
      object: 'checkout.session',
      amount: 5000,
      status: 'open',
      payment_status: 'unpaid',
      ui_mode: 'hosted',
    },
  },
})

export const listCheckoutSessions = operation({
  id: 'checkout.sessions.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/checkout/sessions',
  summary: 'List checkout sessions, newest first',
  description: ['Pages through the checkout sessions of the merchant. All given filters must hold.'],
  query: z.strictObject({
    ...listQuery('cs'),
    payment_intent: idFilter('pi').describe('Shows the session of this payment intent, if it has one.'),
    customer: idFilter('cus').describe('Shows sessions of this customer. An unknown id matches nothing.'),
    status: wordFilter(sessionStatuses).describe(
      'Shows sessions in this state. A session past its `expires_at` is `open` until the hourly sweep.',
    ),
    created: createdFilter,
  }),
  errors: [],
  ok: {
    status: 200,
    schema: listOf(CheckoutSession),
    description: 'One page of checkout sessions, without their `client_secret`.',
  },
  example: {
    params: { status: 'open', limit: 50 },
    answer: { object: 'list', url: '/v1/checkout/sessions' },
  },
})

export const retrieveCheckoutSession = operation({
  id: 'checkout.sessions.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/checkout/sessions/{id}',
  summary: 'Read the current state of a checkout session',
  description: [
    'Reads a checkout session. Use it when the payer returns to your page, to see `payment_status`.',
  ],
  params: z.object({ id: idParam('cs') }),
  errors: [],
  ok: {
    status: 200,
    schema: CheckoutSession,
    description: 'The checkout session, with its `client_secret`.',
  },
  example: {
    id: exampleIds.session,
    answer: { id: exampleIds.session, status: 'open', payment_status: 'unpaid' },
  },
})

export const expireCheckoutSession = operation({
  id: 'checkout.sessions.expire',
  surface: 'v1',
  method: 'POST',
  path: '/v1/checkout/sessions/{id}/expire',
  summary: 'End an open checkout session',
  description: [
    'Ends an open session: its page then accepts no payment. Use it when an order is withdrawn.',
    'The payment intent is not canceled, and you can still confirm it. No event is written: Only the hourly sweep writes `checkout.session.expired` (spec 6.1).',
  ],
  params: z.object({ id: idParam('cs') }),
  errors: ['session_not_open', 'charge_in_progress'],
  ok: { status: 200, schema: CheckoutSession, description: 'The expired checkout session.' },
  example: { id: exampleIds.session, answer: { id: exampleIds.session, status: 'expired', url: null } },
})
