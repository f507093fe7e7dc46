import { z } from 'zod'
import { AccountHolder, accountHolderQuery } from './account-holders.ts'
import { CheckoutSession } from './checkout-sessions.ts'
import { idParam } from './form.ts'
import { operation } from './operation.ts'
import { confirmParams, PaymentIntent } from './payment-intents.ts'

/** A charge whose outcome is still open, and the Unix second at which the payer's time on the rail is over. */
const LiveCharge = z.strictObject({ payment_method_type: z.string(), approve_by: z.int() })

/** The charge that paid, and the Unix second at which its rail's word reached the service: what a receipt says. */
const SucceededCharge = z.strictObject({ payment_method_type: z.string(), succeeded_at: z.int() })

/** Spec 4.6: the payment intent, metadata included, as its payer reads it. It has no secret, which the payer shows already. */
export const BrowserIntent = PaymentIntent.omit({ client_secret: true }).extend({
  live_charge: LiveCharge.nullable(),
  succeeded_charge: SucceededCharge.nullable(),
})
export type BrowserIntent = z.infer<typeof BrowserIntent>

const Texts = z.strictObject({ fr: z.string(), en: z.string() })

const Prompt = z.strictObject({
  mode: z.enum(['automatic', 'manual']),
  window_sec: z.int(),
  dial: z.string().nullable(),
  payee_name: z.string().nullable(),
  hint: Texts.nullable(),
})

const OfferedRail = z.strictObject({
  code: z.string(),
  flow: z.enum(['push', 'redirect']),
  name: Texts,
  instrument: z.literal('msisdn').nullable(),
  prompt: Prompt.nullable(),
})

/** All that a payer's page needs. In its addresses `{CHECKOUT_SESSION_ID}` is already the id. */
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
}).extend({
  locale: z.enum(['fr', 'en']).nullable(),
  merchant: z.strictObject({ name: z.string() }),
  payment_intent: BrowserIntent,
  rails: z.array(OfferedRail),
})
export type BrowserSession = z.infer<typeof BrowserSession>

export const retrieveIntentInBrowser = operation({
  id: 'browser.paymentIntents.retrieve',
  surface: 'browser',
  method: 'GET',
  path: '/v1/browser/payment_intents/{id}',
  params: z.object({ id: idParam('pi') }),
  ok: { status: 200, schema: BrowserIntent },
})

/** Spec 1.6: the one route of its surface that is not a GET. A payer names no customer. */
export const confirmIntentInBrowser = operation({
  id: 'browser.paymentIntents.confirm',
  surface: 'browser',
  method: 'POST',
  path: '/v1/browser/payment_intents/{id}/confirm',
  params: z.object({ id: idParam('pi') }),
  body: confirmParams.omit({ customer: true }),
  ok: { status: 200, schema: BrowserIntent },
})

export const retrieveSessionInBrowser = operation({
  id: 'browser.checkout.sessions.retrieve',
  surface: 'browser',
  method: 'GET',
  path: '/v1/browser/checkout/sessions/{id}',
  params: z.object({ id: idParam('cs') }),
  ok: { status: 200, schema: BrowserSession },
})

/** Only where a deployment enables it. Whose payment it is stands in the secret; of a name, the initials are told. */
export const retrieveAccountHolderInBrowser = operation({
  id: 'browser.accountHolders.retrieve',
  surface: 'browser',
  method: 'GET',
  path: '/v1/browser/account_holders',
  query: accountHolderQuery,
  ok: { status: 200, schema: AccountHolder },
})
