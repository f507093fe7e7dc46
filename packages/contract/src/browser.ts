import { z } from 'zod'
import { AccountHolder, accountHolderQuery } from './account-holders.ts'
import { CheckoutSession } from './checkout-sessions.ts'
import { exampleIds } from './examples.ts'
import { railCodeField, unixSecondsField } from './fields.ts'
import { idParam, locale } from './form.ts'
import { operation } from './operation.ts'
import { confirmParams, PaymentIntent } from './payment-intents.ts'

const payerNumber = z
  .string()
  .nullable()
  .describe(
    'The payer’s number, masked: `6 •• •• •• 27`. Null on a rail that asks for none, in the answer of a confirm, and after an erasure.',
  )

/** A charge whose outcome is open, and the Unix second at which the payer's time on the rail ends. */
const LiveCharge = z.strictObject({
  payment_method_type: railCodeField('The rail of the charge.'),
  approve_by: unixSecondsField('When the payer’s time to approve ends on the rail.'),
  payer_number: payerNumber,
})

/** The charge that paid, the Unix second at which the service learned it, and the rail's own number. For a receipt. */
const SucceededCharge = z.strictObject({
  payment_method_type: railCodeField('The rail of the charge.'),
  succeeded_at: unixSecondsField('When the rail reported the charge as paid.'),
  rail_txn_id: z
    .string()
    .nullable()
    .describe(
      'The operator’s number of the transaction, as its messages to the payer show it. Null if it gave none.',
    ),
  payer_number: payerNumber,
  payee_number: z
    .string()
    .nullable()
    .describe(
      'The number of the account that was paid, masked in the same way. Null if the deployment names none.',
    ),
})

/**
 * The payment intent as its payer reads it, with metadata (spec 4.6). It omits the secret, which the payer already
 * has.
 */
export const BrowserIntent = PaymentIntent.omit({ client_secret: true })
  .extend({
    live_charge: LiveCharge.nullable().describe('The charge whose outcome is open. Null if there is none.'),
    succeeded_charge: SucceededCharge.nullable().describe(
      'The charge that paid, for a receipt. Null until one has paid.',
    ),
  })
  .meta({
    id: 'BrowserIntent',
    description:
      'A payment intent as its payer reads it: with the merchant’s `metadata` and without its secret (spec 4.6).',
  })
export type BrowserIntent = z.infer<typeof BrowserIntent>

const LocalizedText = z
  .strictObject({
    fr: z.string().describe('The text in French.'),
    en: z.string().describe('The text in English.'),
  })
  .meta({ id: 'LocalizedText', description: 'A text in both languages of the service.' })

const Prompt = z.strictObject({
  mode: z
    .enum(['automatic', 'manual'])
    .describe(
      '`automatic`: a prompt appears on the handset. `manual`: no prompt appears by itself, so show at once how to approve.',
    ),
  window_sec: z.int().describe('How long the payer has to approve, in seconds.'),
  dial: z
    .string()
    .nullable()
    .describe('What to dial if the prompt does not appear, such as `*126#`. Null if there is no such code.'),
  payee_name: z.string().nullable().describe('The payee’s name in the prompt. Null if it is not known.'),
  hint: LocalizedText.nullable().describe(
    'A hint of the deployment for the payer. Several lines are steps. Null if there is none.',
  ),
})

const RailOffer = z
  .strictObject({
    code: railCodeField('The code of the rail.'),
    flow: z
      .enum(['push', 'redirect'])
      .describe(
        '`push`: the rail prompts the payer’s handset. `redirect`: the rail has a page of its own (spec 1.4).',
      ),
    name: LocalizedText.describe('The rail’s name, as payers know it.'),
    color: z
      .string()
      .nullable()
      .describe(
        'The operator’s color, such as `#ffcc00`, for a mark beside its name. Null if there is none.',
      ),
    number_prefixes: z
      .array(z.string())
      .describe(
        'The first digits of the operator’s numbers, each with its country code of three digits, such as `23767`. Numbers are ported, so propose the rail and let the payer change it. Empty if they are not known.',
      ),
    instrument: z
      .enum(['msisdn'])
      .nullable()
      .describe('Input that the payer must give: `msisdn`, a phone number. Null if the rail needs none.'),
    prompt: Prompt.nullable().describe(
      'How the payer approves on the handset. Null on a rail without a prompt.',
    ),
  })
  .meta({ id: 'RailOffer', description: 'A way to pay that a checkout session offers.' })

/** The data of a payer's page. In its addresses, the id already replaces `{CHECKOUT_SESSION_ID}`. */
export const BrowserSession = CheckoutSession.pick({
  id: true,
  object: true,
  status: true,
  payment_status: true,
  ui_mode: true,
  amount: true,
  currency: true,
  livemode: true,
  expires_at: true,
  success_url: true,
  cancel_url: true,
  return_url: true,
})
  .extend({
    locale: locale
      .nullable()
      .describe('The language that the merchant chose for the page. Null means the payer’s own language.'),
    merchant: z
      .strictObject({
        name: z.string().describe('The merchant’s name, as payers know it.'),
        accent_color: z
          .string()
          .nullable()
          .describe(
            'The color of the merchant’s buttons, such as `#0b5d3b`. White text on it is readable. Null if there is none.',
          ),
        logo: z
          .string()
          .nullable()
          .describe('The merchant’s logo, an image as a data URI. Null if there is none.'),
      })
      .describe('The merchant who is paid.'),
    payment_intent: BrowserIntent.describe('The payment of the session.'),
    rails: z
      .array(RailOffer)
      .describe(
        'The rails that the payer can choose: offered by the intent, enabled by the deployment and settling in its currency.',
      ),
  })
  .meta({
    id: 'BrowserSession',
    description:
      'A checkout session as its payer’s page reads it. After `expires_at` its status is `expired`. In its addresses, the id already replaces `{CHECKOUT_SESSION_ID}`.',
  })
export type BrowserSession = z.infer<typeof BrowserSession>

export const retrieveIntentInBrowser = operation({
  id: 'browser.paymentIntents.retrieve',
  surface: 'browser',
  method: 'GET',
  path: '/v1/browser/payment_intents/{id}',
  summary: 'Read a payment on its payer’s device',
  description: [
    'Reads the payment intent that the secret gives access to. A payer’s device decides the outcome by this read alone, never by a browser’s redirect (spec 4.6). The intent stays readable after the session ends.',
    'A wrong key, a wrong secret and an unknown id have the same answer: 404.',
  ],
  params: z.object({ id: idParam('pi') }),
  errors: [],
  ok: { status: 200, schema: BrowserIntent, description: 'The payment intent.' },
  example: {
    id: exampleIds.intent,
    answer: { id: exampleIds.intent, status: 'requires_payment_method', live_charge: null },
  },
})

/** The only route of its surface that is not a GET (spec 1.6). A payer names no customer. */
export const confirmIntentInBrowser = operation({
  id: 'browser.paymentIntents.confirm',
  surface: 'browser',
  method: 'POST',
  path: '/v1/browser/payment_intents/{id}/confirm',
  summary: 'Charge the payer on a rail, from the payer’s device',
  description: [
    'Opens a charge on one rail, as the merchant’s confirm does. If the rail declines at once, the answer is a 200 with `last_payment_error` set.',
    'Payers may open the first 10 charges of an intent; then the answer is a 409 `too_many_attempts`. Idempotency-Keys of payers are separate for each intent, and separate from the merchant’s.',
  ],
  params: z.object({ id: idParam('pi') }),
  body: confirmParams.omit({ customer: true }),
  errors: [
    'charge_in_progress',
    'charge_terminal',
    'intent_canceled',
    'too_many_attempts',
    'session_not_open',
    'customer_erased',
    'invoice_paid',
    'invoice_void',
    'provider_unavailable',
  ],
  ok: { status: 200, schema: BrowserIntent, description: 'The payment intent after the rail answered.' },
  example: {
    id: exampleIds.intent,
    params: { payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } } },
    answer: { id: exampleIds.intent, status: 'processing' },
  },
})

export const retrieveSessionInBrowser = operation({
  id: 'browser.checkout.sessions.retrieve',
  surface: 'browser',
  method: 'GET',
  path: '/v1/browser/checkout/sessions/{id}',
  summary: 'Read a checkout session on its payer’s page',
  description: [
    'Reads the session that the secret gives access to, with its payment intent, the merchant’s name and the available rails.',
  ],
  params: z.object({ id: idParam('cs') }),
  errors: [],
  ok: { status: 200, schema: BrowserSession, description: 'The checkout session.' },
  example: {
    id: exampleIds.session,
    answer: { id: exampleIds.session, status: 'open', payment_status: 'unpaid' },
  },
})

/**
 * Exists only if the deployment enables it. The secret identifies the payment. Only the initials of the name are
 * shown.
 */
export const retrieveAccountHolderInBrowser = operation({
  id: 'browser.accountHolders.retrieve',
  surface: 'browser',
  method: 'GET',
  path: '/v1/browser/account_holders',
  summary: 'Check a number before paying with it',
  description: [
    'Asks the operator whose account a number is, on a rail of the payment that the secret gives access to, while it can be paid. The answer shows only the initials of the name. The route exists only if the deployment enables it.',
    'A payment has five look-ups; then the answer is a 409 `lookups_spent`.',
  ],
  query: accountHolderQuery,
  errors: [
    'lookups_spent',
    'session_not_open',
    'intent_canceled',
    'charge_terminal',
    'charge_in_progress',
    'not_supported',
    'provider_unavailable',
  ],
  ok: { status: 200, schema: AccountHolder, description: 'The operator’s answer about the number.' },
  example: {
    params: { payment_method_type: 'mtn_momo_cm', msisdn: '670000001' },
    answer: { object: 'account_holder', msisdn: '237670000001', registered: true },
  },
})
