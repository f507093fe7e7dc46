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
} from './fields.ts'
import {
  createdFilter,
  formMap,
  idFilter,
  idParam,
  listQuery,
  metadata,
  metadataChanges,
  minorAmount,
  requiredText,
} from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'
import { declineCodes, refundStatuses } from './words.ts'

export type RefundStatus = (typeof refundStatuses)[number]

const refundReasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const
export type RefundReason = (typeof refundReasons)[number]

/** Reasons for a failed refund: the rail refused it, or it will never be instructed. */
const refundFailures = [...declineCodes, 'not_supported', 'customer_erased'] as const
export type RefundFailure = (typeof refundFailures)[number]

const refundStatus = z.enum(refundStatuses).meta({
  id: 'RefundStatus',
  description:
    'State of a refund (spec 3.5). `pending`: it is created and its rail is instructed; the service never reports it as paid. `failed`: the rail refused, and the amount can be refunded again. `requires_action` and `canceled` exist for clients of the compatible API: create never makes such a refund.',
})

const refundReason = z
  .enum(refundReasons, `must be one of ${refundReasons.join(', ')}`)
  .meta({ id: 'RefundReason', description: 'Why the merchant refunds.' })

const refundFailure = z.enum(refundFailures).meta({
  id: 'RefundFailure',
  description:
    'Why the refund failed: a code as in `last_payment_error.code` if the rail refused; `not_supported` if the rail has no refunds; `customer_erased` if the customer was erased before the rail was instructed.',
})

/** Spec 2.7. No surface shows the paid number: `destination_details` names only the rail. */
export const Refund = z
  .strictObject({
    id: idField('re', exampleIds.refund),
    object: objectField('refund'),
    amount: minorUnits('Refunded amount.'),
    currency: currencyField,
    payment_intent: z.string().describe('The id of the payment intent that is refunded.'),
    status: refundStatus,
    fee: z.null().describe('Always present and always null, which is not 0 (spec 2.7).'),
    reason: refundReason.nullable().describe('Why the merchant refunds. Null if no reason was given.'),
    failure_reason: refundFailure
      .nullable()
      .describe('Why the refund failed. Null unless the status is `failed`.'),
    destination_details: z
      .strictObject({ type: railCodeField('The rail that pays.') })
      .describe('The rail that pays. The paid phone number is never shown.'),
    metadata: metadataField,
    created,
    livemode,
  })
  .meta({
    id: 'Refund',
    description:
      'Money promised back to a payer (spec 2.7). The payment intent reserves its amount until the refund fails.',
  })
export type Refund = z.infer<typeof Refund>

const destination = formMap({
  type: 'object',
  required: ['msisdn'],
  properties: {
    msisdn: { type: 'string', minLength: 1, description: 'The phone number to pay, in any spelling.' },
  },
}).describe(
  'The rail that took the payment and the number to pay on it, as in `destination[mtn_momo_cm][msisdn]=237670000001`. Required on every rail (spec 4.2). It must be the payment’s rail, or the answer is a 400.',
)

export const createRefund = operation({
  id: 'refunds.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds',
  summary: 'Refund a payment to a mobile-money account',
  description: [
    'Creates a refund, reserves its amount on the payment intent, writes `charge.refunded` and instructs the rail (spec 4.5). A payment can have several partial refunds, up to its amount.',
    'The 201 has `status` `pending`, whatever the rail answered, and does not mean that money moved. If the rail refuses, the event `charge.refund.updated` reports `failed`, and the amount can be refunded again.',
    'On a rail without refunds, the answer is a 501 `not_supported`, and the refund is created as `failed` (spec 4.5.2). An amount above the unrefunded rest is a 400 that names `amount`.',
  ],
  body: z.object({
    // First, because the first fault is reported.
    charge: z.never('is not supported: name the payment_intent').optional(),
    payment_intent: requiredText.describe('The id of a payment intent that succeeded.'),
    amount: minorAmount
      .optional()
      .describe(
        'Amount to refund: 1 to 99 999 999, in minor units of the payment’s currency. Default: the unrefunded rest.',
      ),
    reason: refundReason.optional().describe('Why you refund. It is shown on the refund.'),
    metadata,
    // `{ [rail_code]: { msisdn } }`. The command validates it, because rails differ per deployment.
    destination,
  }),
  errors: ['intent_not_succeeded', 'charge_unproven', 'not_supported'],
  ok: { status: 201, schema: Refund, description: 'The new refund, with status `pending`.' },
  example: {
    params: {
      payment_intent: exampleIds.paidIntent,
      amount: 2000,
      reason: 'requested_by_customer',
      destination: { mtn_momo_cm: { msisdn: '237670000001' } },
    },
    answer: {
      object: 'refund',
      amount: 2000,
      payment_intent: exampleIds.paidIntent,
      status: 'pending',
      fee: null,
    },
  },
})

export const listRefunds = operation({
  id: 'refunds.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/refunds',
  summary: 'List refunds, newest first',
  description: ['Pages through the refunds of the merchant. All given filters must hold.'],
  query: z.strictObject({
    ...listQuery('re'),
    payment_intent: idFilter('pi').describe(
      'Shows refunds of this payment intent. An unknown id matches nothing.',
    ),
    created: createdFilter,
  }),
  errors: [],
  ok: { status: 200, schema: listOf(Refund), description: 'One page of refunds.' },
  example: {
    params: { payment_intent: exampleIds.paidIntent },
    answer: { object: 'list', url: '/v1/refunds' },
  },
})

export const retrieveRefund = operation({
  id: 'refunds.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/refunds/{id}',
  summary: 'Read the current state of a refund',
  description: [
    'Reads a refund. Use it to see whether the rail refused it: `failed`, with a `failure_reason`.',
  ],
  params: z.object({ id: idParam('re') }),
  errors: [],
  ok: { status: 200, schema: Refund, description: 'The refund.' },
  example: { id: exampleIds.refund, answer: { id: exampleIds.refund, object: 'refund', status: 'pending' } },
})

/** Only metadata can change. Any other parameter is a 400 that names it (spec 4.2). */
export const updateRefund = operation({
  id: 'refunds.update',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds/{id}',
  summary: 'Change the metadata of a refund',
  description: [
    'Merges metadata key by key: an empty value removes its key. No other field of a refund can change: any other parameter is a 400 that names it (spec 4.2).',
    'A change writes `charge.refund.updated`. An update that changes nothing writes no event.',
  ],
  params: z.object({ id: idParam('re') }),
  body: z.strictObject({ metadata: metadataChanges }),
  errors: [],
  ok: { status: 200, schema: Refund, description: 'The refund after the change.' },
  example: {
    id: exampleIds.refund,
    params: { metadata: { ticket: '4711' } },
    answer: { id: exampleIds.refund, metadata: { ticket: '4711' } },
  },
})

export const cancelRefund = operation({
  id: 'refunds.cancel',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds/{id}/cancel',
  summary: 'Cancel a refund that requires an action',
  description: [
    'Only a refund in `requires_action` can be canceled. Create never leaves a refund in that state, because it instructs the rail at once. So the answer is a 409 `refund_not_cancelable` (spec 3.5). The route exists for clients of the compatible API.',
  ],
  params: z.object({ id: idParam('re') }),
  errors: ['refund_not_cancelable'],
  ok: { status: 200, schema: Refund, description: 'The canceled refund.' },
  example: { id: exampleIds.refund, answer: { refused: 'refund_not_cancelable' } },
})
