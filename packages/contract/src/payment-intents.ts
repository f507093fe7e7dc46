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
import { declineCodes, intentStatuses } from './words.ts'

export type IntentStatus = (typeof intentStatuses)[number]

const cancellationReasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'] as const
export type CancellationReason = (typeof cancellationReasons)[number]

export const intentStatus = z.enum(intentStatuses).meta({
  id: 'PaymentIntentStatus',
  description:
    'State of a payment intent (spec 3.1). `requires_payment_method`: it waits for a confirm. `processing`: the rail has a charge whose outcome is open. `succeeded`: it is paid. `canceled`: the merchant stopped waiting; only a late success of a charge changes this state. There is no failed status: a refused charge returns the intent to `requires_payment_method` with `last_payment_error` set.',
})

const cancellationReason = z
  .enum(cancellationReasons, `must be one of ${cancellationReasons.join(', ')}`)
  .meta({
    id: 'CancellationReason',
    description: 'Why the merchant stopped waiting for a payment.',
  })

const declineCode = z.enum(declineCodes).meta({
  id: 'DeclineCode',
  description:
    'Why a rail refused: the same codes for all rails. Treat one that you do not know as `declined`. docs/errors.md has a sentence for payers for each code, in English and French.',
})

const LastPaymentError = z
  .strictObject({
    type: z.enum(['rail_error']).describe('The kind of error: `rail_error`.'),
    code: declineCode.describe('Why the rail refused, as a code of this API. Base decisions on this field.'),
    decline_code: z
      .string()
      .nullable()
      .describe(
        'The rail’s own code, at most 500 characters. Null if the rail gave none. `[redacted]` after an erasure of the customer.',
      ),
    message: z
      .string()
      .nullable()
      .describe(
        'The rail’s own message, at most 500 characters, for support. Null if the rail gave none. Show it as text, never as markup.',
      ),
    payment_method_type: railCodeField('The rail that refused the charge.'),
  })
  .meta({
    id: 'LastPaymentError',
    description: 'The refusal that returned a payment intent to `requires_payment_method`.',
  })

const NextAction = z
  .strictObject({
    type: z.enum(['redirect_to_url']).describe('The kind of action: `redirect_to_url`.'),
    redirect_to_url: z
      .strictObject({
        url: z.string().describe('The rail’s page. Send the payer’s browser to it.'),
        return_url: z
          .string()
          .nullable()
          .describe(
            'The address to which the rail returns the payer, from the confirm. A payer who returns has not necessarily paid.',
          ),
      })
      .describe('The addresses of the redirect.'),
  })
  .meta({
    id: 'NextAction',
    description:
      'The payer’s next step on a redirect rail. A push rail has none, because it prompts the payer’s handset.',
  })

/** Spec 2.4. Only create and retrieve include the key `client_secret`. */
export const PaymentIntent = z
  .strictObject({
    id: idField('pi', exampleIds.intent),
    object: objectField('payment_intent'),
    amount: minorUnits('Amount that the payer pays, 1 to 99 999 999.'),
    currency: currencyField,
    status: intentStatus,
    payment_method_types: z
      .array(railCodeField('The code of a rail.'))
      .describe('Codes of the rails that the payer may use. Never empty.'),
    customer: z
      .string()
      .nullable()
      .describe('The id of the customer who pays. Null if the merchant named none.'),
    description: z
      .string()
      .nullable()
      .describe(
        `The merchant’s own text, at most ${DESCRIPTION_CHARS_MAX} characters. The payer’s device can read it. Null if there is none.`,
      ),
    metadata: metadataField.describe(
      'The key-value pairs that the merchant stored with the payment. Empty if there are none. The payer’s device can read them: do not store secrets in them.',
    ),
    client_secret: z
      .string()
      .optional()
      .describe(
        'Lets the payer’s device read and confirm this intent on /v1/browser. Present only in the answers to create and retrieve (spec 2.4). Give it only to the payer, and do not log it.',
      ),
    next_action: NextAction.nullable().describe(
      'The payer’s next step while the intent is `processing` on a redirect rail. Otherwise null (spec 1.4).',
    ),
    last_payment_error: LastPaymentError.nullable().describe(
      'Why the rail refused the last charge. Null before a refusal, and again when the next charge opens or a charge succeeds.',
    ),
    invoice: z
      .string()
      .nullable()
      .describe('The id of the invoice that this intent pays. Null if it belongs to no invoice.'),
    canceled_at: unixSecondsField('When the intent was canceled.')
      .nullable()
      .describe('When the intent was canceled, in Unix seconds. Null unless its status is `canceled`.'),
    cancellation_reason: cancellationReason
      .nullable()
      .describe(
        'Why the merchant canceled the intent. Null if it is not canceled, or if no reason was given.',
      ),
    created,
    livemode,
  })
  .meta({
    id: 'PaymentIntent',
    description: 'A payment: created, confirmed on a rail, then settled by the service (spec 2.4).',
  })
export type PaymentIntent = z.infer<typeof PaymentIntent>

/**
 * Refused by name on create and confirm; `automatic` is the only capture method (spec 4.3.3). They come first,
 * because the first fault in the order of the fields is the one that is reported. A session refuses them too.
 */
export const refusedFields = {
  capture_method: z
    .literal('automatic', 'only automatic capture is supported')
    .optional()
    .describe('Accepted for clients of the compatible API, with this one value (spec 4.3.3).'),
  application_fee_amount: z.never('is not supported').optional(),
  transfer_data: z.never('is not supported').optional(),
  on_behalf_of: z.never('is not supported').optional(),
}

const railCodes = formArray(boundedText(64))

export const createPaymentIntent = operation({
  id: 'paymentIntents.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/payment_intents',
  summary: 'Create a payment that waits for a confirm',
  description: [
    'Creates an intent to collect an amount from a payer. It charges nothing yet: confirm the intent, or give its `client_secret` to the payer’s device, which confirms it.',
    'Use one intent for each order: store its id with the order, and derive the Idempotency-Key from the order. For 24 hours a retry then returns the same intent. No event is written (spec 3.1.4).',
  ],
  body: z.object({
    ...refusedFields,
    // Confirmation is a separate call (spec 4.3.2).
    confirm: z
      .literal('false', 'only false is accepted; confirm in a separate call')
      .optional()
      .describe('Only `false` is accepted: confirmation is a separate call (spec 4.3.2).'),
    amount: minorAmount.describe(
      'Amount that the payer pays: 1 to 99 999 999, in minor units of the currency.',
    ),
    currency: currency.describe('Currency of the amount, in upper or lower case.'),
    payment_method_types: railCodes.describe(
      'Codes of the rails that the payer may use: at least one, each enabled by the deployment (spec 4.3.1).',
    ),
    customer: optionalText(255).describe(
      'The id of a customer of yours. An unknown id, and one of another merchant, is the same 400 (spec 4.3.5).',
    ),
    description: optionalText(DESCRIPTION_CHARS_MAX).describe(
      `Your own text for this payment, at most ${DESCRIPTION_CHARS_MAX} characters. The payer’s device can read it.`,
    ),
    metadata: metadata.describe(
      'Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most 500 characters. The payer’s device can read them: do not store secrets in them.',
    ),
  }),
  errors: ['customer_erased'],
  ok: {
    status: 201,
    schema: PaymentIntent,
    description: 'The new payment intent, with its `client_secret`.',
  },
  example: {
    params: {
      amount: 5000,
      currency: 'XAF',
      payment_method_types: ['mtn_momo_cm'],
      metadata: { order: '42' },
    },
    answer: {
      object: 'payment_intent',
      amount: 5000,
      currency: 'XAF',
      status: 'requires_payment_method',
      metadata: { order: '42' },
    },
  },
})

export const listPaymentIntents = operation({
  id: 'paymentIntents.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/payment_intents',
  summary: 'List payments, newest first',
  description: [
    'Pages through all payment intents of the merchant. There is no filter: an unknown parameter is a 400 that names it.',
  ],
  query: z.strictObject(listQuery('pi')),
  errors: [],
  ok: {
    status: 200,
    schema: listOf(PaymentIntent),
    description: 'One page of payment intents, without their `client_secret`.',
  },
  example: { params: { limit: 10 }, answer: { object: 'list', url: '/v1/payment_intents' } },
})

export const retrievePaymentIntent = operation({
  id: 'paymentIntents.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/payment_intents/{id}',
  summary: 'Read the current state of a payment',
  description: [
    'Reads a payment intent. Only this answer tells whether it is paid, not the page to which the payer’s browser was redirected.',
    'Use it to poll while a charge is open, and to read the `client_secret` again.',
  ],
  params: z.object({ id: idParam('pi') }),
  errors: [],
  ok: { status: 200, schema: PaymentIntent, description: 'The payment intent, with its `client_secret`.' },
  example: {
    id: exampleIds.intent,
    answer: { id: exampleIds.intent, object: 'payment_intent', status: 'requires_payment_method' },
  },
})

const paymentMethodData = formMap({
  anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
}).describe(
  'One rail of the intent’s `payment_method_types` and the payer’s instrument on it, as in `payment_method_data[mtn_momo_cm][msisdn]=237670000001`. A push rail needs `msisdn`, the payer’s phone number in any spelling. `payment_method_data[type]`, if sent, must name the same rail.',
)

export const confirmParams = z.object({
  ...refusedFields,
  // `{ type?: string, [rail_code]: instrument }`. The command validates it, because rails differ per deployment.
  payment_method_data: paymentMethodData,
  customer: optionalText(255).describe(
    'The id of the customer who pays. It is attached to an intent without a customer. Otherwise it must match the intent’s customer, or the answer is a 400.',
  ),
  return_url: optionalText(2048).describe(
    'The address to which a redirect rail returns the payer. Required on a redirect rail: https, or http in test mode, with `https://` and without spaces or backslashes, within the rail’s length limit. In live mode some rails refuse an IP address and `localhost`. A push rail ignores it.',
  ),
  locale: locale
    .optional()
    .describe('The language of the rail’s page, `fr` or `en`. Default: the rail’s own.'),
})

export const confirmPaymentIntent = operation({
  id: 'paymentIntents.confirm',
  surface: 'v1',
  method: 'POST',
  path: '/v1/payment_intents/{id}/confirm',
  summary: 'Charge the payer on a rail',
  description: [
    'Opens a charge on one rail. On a push rail the operator prompts the payer’s handset; on a redirect rail the answer’s `next_action` has the page to which you send the payer.',
    'The answer is `processing` if the rail accepted the charge. The event `payment_intent.succeeded` or `payment_intent.payment_failed` reports the outcome. If the rail declines at once, the answer is a 200 with `status` `requires_payment_method` and `last_payment_error` set.',
    'At most one charge of an intent is live. After a 409 `charge_in_progress`, read the intent instead of confirming again. After a 502, send the same request with the same Idempotency-Key: it continues the same charge and never opens a second one.',
    'Each attempt of the payer needs an Idempotency-Key of its own. Under the key of an attempt that was declined, the stored answer `processing` comes again, and nothing is charged.',
  ],
  params: z.object({ id: idParam('pi') }),
  body: confirmParams,
  errors: [
    'charge_in_progress',
    'charge_terminal',
    'intent_canceled',
    'too_many_attempts',
    'customer_erased',
    'invoice_paid',
    'invoice_void',
    'provider_unavailable',
  ],
  ok: {
    status: 200,
    schema: PaymentIntent,
    description: 'The payment intent after the rail answered, without its `client_secret`.',
  },
  example: {
    id: exampleIds.intent,
    params: { payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } } },
    answer: { id: exampleIds.intent, status: 'processing', next_action: null },
  },
})

export const cancelPaymentIntent = operation({
  id: 'paymentIntents.cancel',
  surface: 'v1',
  method: 'POST',
  path: '/v1/payment_intents/{id}/cancel',
  summary: 'Stop waiting for a payment',
  description: [
    'Cancels an unpaid intent, with or without a live charge, and writes `payment_intent.canceled`. A canceled intent cannot be confirmed.',
    'Money can still arrive: a cancel does not withdraw the request that the payer has. If the rail later reports a charge as paid, the intent becomes `succeeded` and `payment_intent.succeeded` is written.',
    'A canceled intent does not show that its charge was refused. So do not cancel a confirmed intent to ask for the money by another: first wait for the outcome of its last confirm and, after a refusal, half an hour for a late success.',
  ],
  params: z.object({ id: idParam('pi') }),
  body: z.object({
    cancellation_reason: cancellationReason.optional().describe('Why you cancel. It is shown on the intent.'),
  }),
  errors: ['intent_canceled', 'charge_terminal'],
  ok: { status: 200, schema: PaymentIntent, description: 'The canceled payment intent.' },
  example: {
    id: exampleIds.intent,
    params: { cancellation_reason: 'requested_by_customer' },
    answer: { id: exampleIds.intent, status: 'canceled', cancellation_reason: 'requested_by_customer' },
  },
})
