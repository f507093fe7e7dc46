import { z } from 'zod'
import { declineCodes } from './declines.ts'
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

const refundStatus = z.enum(refundStatuses).meta({
  id: 'RefundStatus',
  description:
    'State of a refund (spec 3.5). `pending`: it is written and its rail is instructed; nothing settles it here. `failed`: the rail refused, and the amount can be refunded anew. `requires_action` and `canceled` exist for clients of the compatible API: create never makes such a refund.',
})

const refundReason = z
  .enum(refundReasons, `must be one of ${refundReasons.join(', ')}`)
  .meta({ id: 'RefundReason', description: 'Why the merchant pays back.' })

const refundFailure = z.enum(refundFailures).meta({
  id: 'RefundFailure',
  description:
    'Why no money will move: a code as in `last_payment_error.code` if the rail refused; `not_supported` if the rail has no refunds; `customer_erased` if the customer was erased before the rail was instructed.',
})

/** Spec 2.7. The number that is paid is on no surface: `destination_details` names the rail alone. */
export const Refund = z
  .strictObject({
    id: idField('re', exampleIds.refund),
    object: objectField('refund'),
    amount: minorUnits('What is paid back.'),
    currency: currencyField,
    payment_intent: z.string().describe('The id of the payment intent that is refunded.'),
    status: refundStatus,
    fee: z.null().describe('Always present and always null, which is not 0 (spec 2.7).'),
    reason: refundReason.nullable().describe('Why the merchant pays back. Null if no reason was given.'),
    failure_reason: refundFailure
      .nullable()
      .describe('Why no money will move. Null unless the status is `failed`.'),
    destination_details: z
      .strictObject({ type: railCodeField('The rail that pays.') })
      .describe('The rail that pays. The phone number that is paid is never shown.'),
    metadata: metadataField,
    created,
    livemode,
  })
  .meta({
    id: 'Refund',
    description:
      'Money promised back to a payer (spec 2.7). Its amount is reserved on the payment intent from its creation until it fails.',
  })
export type Refund = z.infer<typeof Refund>

const destination = formMap({
  type: 'object',
  required: ['msisdn'],
  properties: {
    msisdn: { type: 'string', minLength: 1, description: 'The phone number to pay, in any spelling.' },
  },
}).describe(
  'The rail that took the payment and the number to pay on it, as in `destination[mtn_momo_cm][msisdn]=237670000001`. Required on every rail (spec 4.2). Another rail than the payment’s is a 400.',
)

export const createRefund = operation({
  id: 'refunds.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds',
  summary: 'Pay money back to a mobile-money account',
  description: [
    'Writes a refund, reserves its amount on the payment intent, writes `charge.refunded` and instructs the rail (spec 4.5). Refund a payment in part or in full, in as many refunds as the amount allows.',
    'The 201 says `pending` whatever the rail answered. It does not say that money moved. A rail that refuses is told by the event `charge.refund.updated` with `status` `failed`; the amount is then free again.',
    'A rail without refunds answers 501 `not_supported`: the refund is written and fails at once (spec 4.5.2). More than is left of the payment is a 400 that names `amount`.',
  ],
  body: z.object({
    // Named before any other fault.
    charge: z.never('is not supported: name the payment_intent').optional(),
    payment_intent: requiredText.describe('The id of a payment intent that succeeded.'),
    amount: minorAmount
      .optional()
      .describe(
        'What to pay back: 1 to 99 999 999, in minor units of the payment’s currency. All that is left of the payment if it is not sent.',
      ),
    reason: refundReason.optional().describe('Why you pay back. It is shown on the refund.'),
    metadata,
    // `{ [rail_code]: { msisdn } }`: the command validates it, because rails differ per deployment.
    destination,
  }),
  errors: ['intent_not_succeeded', 'charge_unproven', 'not_supported'],
  ok: { status: 201, schema: Refund, description: 'The refund as it was written: `pending`.' },
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
      'Shows refunds of this payment intent. An id that nobody has matches nothing.',
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

/** Spec 4.2: metadata only; any other parameter is a 400 naming it. */
export const updateRefund = operation({
  id: 'refunds.update',
  surface: 'v1',
  method: 'POST',
  path: '/v1/refunds/{id}',
  summary: 'Change the metadata of a refund',
  description: [
    'Merges metadata key by key: an empty value removes its key. Nothing else of a refund can change, and any other parameter is a 400 that names it (spec 4.2).',
    'A change writes `charge.refund.updated`. An update that changes nothing writes nothing.',
  ],
  params: z.object({ id: idParam('re') }),
  body: z.strictObject({
    metadata: metadata.describe(
      'Your own key-value pairs, merged key by key: a key that is not sent keeps its value, and an empty value removes its key. At most 50 keys of 1 to 40 characters, and values of at most 500 characters.',
    ),
  }),
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
  summary: 'Cancel a refund that waits for an action',
  description: [
    'Only a refund in `requires_action` can be canceled. Create never makes one, because it instructs the rail at once: every refund that create made is a 409 `refund_not_cancelable` (spec 3.5). The route exists for clients of the compatible API.',
  ],
  params: z.object({ id: idParam('re') }),
  errors: ['refund_not_cancelable'],
  ok: { status: 200, schema: Refund, description: 'The canceled refund.' },
  example: { id: exampleIds.refund, answer: { refused: 'refund_not_cancelable' } },
})
