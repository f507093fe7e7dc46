import { z } from 'zod'
import { idFilter } from '../form.ts'
import { listOf } from '../list.ts'
import { Refund } from '../refunds.ts'
import {
  amountFilter,
  currencyFilter,
  instantOrNull,
  merchantField,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'
import { instructionStates, refundQueues, refundStatuses } from '../words.ts'

/** A refund with its instruction to the rail and the rail's answer. No surface shows the paid number. */
export const StaffRefund = Refund.extend({
  merchant: merchantField,
  customer: textOrNull('The id of the payment’s customer.', 'if it has none'),
  reference: z.string().describe('The service’s reference for the payout at its rail.'),
  instruction: z
    .enum(instructionStates)
    .describe(
      'State of the instruction to the rail: `unsent`, `sent` (the rail may have it), `accepted` (the rail has it, and may still refuse it) or `refused`.',
    ),
  tries: z.int().nullable().describe('How often the worker has checked it. Null after the last check.'),
  next_look_at: instantOrNull('When the worker next checks it.', 'after the last check'),
  rested_at: instantOrNull(
    'Since when the job rests, because the result of a check could not be written.',
    'if it does not rest',
  ),
  rail_code: textOrNull('The last code that the rail answered.', 'if it gave none'),
  rail_message: textOrNull('The last message that the rail answered.', 'if it gave none'),
  confirmed: z
    .strictObject({
      statement: z.string().describe('The id of the operator’s statement.'),
      transaction: textOrNull('The operator’s transaction.', 'if the statement names none'),
      at: instantOrNull('When the operator paid it.', 'if the statement does not say'),
    })
    .nullable()
    .describe('Where an operator’s statement lists it as paid. Null if none does. It changes no state.'),
  request_id: textOrNull('The `request-id` of the request that created it.', 'if none is kept'),
}).meta({
  id: 'StaffRefund',
  description:
    'A refund with its instruction to the rail and the rail’s answer. No surface shows the paid number.',
})
export type StaffRefund = z.infer<typeof StaffRefund>

export const refundFilters = {
  status: z
    .enum(refundStatuses, `must be one of ${refundStatuses.join(', ')}`)
    .optional()
    .describe('Shows refunds in this state.'),
  instruction: z
    .enum(instructionStates, `must be one of ${instructionStates.join(', ')}`)
    .optional()
    .describe('Shows refunds whose instruction is in this state.'),
  queue: z
    .enum(refundQueues, `must be one of ${refundQueues.join(', ')}`)
    .optional()
    .describe(
      '`waiting`: refunds that their rail has neither accepted nor refused, and that the worker still handles. The overview counts the same refunds. `resting`: refunds whose job rests until an operator wakes it.',
    ),
  rail: z.string('must be a single rail').optional().describe('Shows refunds on the rail with this code.'),
  payment_intent: idFilter('pi').describe('Shows refunds of this payment intent.'),
  customer: idFilter('cus').describe('Shows refunds of this customer’s payments.'),
  amount: amountFilter,
  currency: currencyFilter,
}

export const listStaffRefunds = staffRead({
  id: 'refunds.list',
  path: '/refunds',
  summary: 'List refunds of all merchants',
  description: ['Pages through the refunds of all merchants, newest first. All given filters must hold.'],
  query: z.strictObject({
    ...staffListQuery('re'),
    ...refundFilters,
  }),
  schema: listOf(StaffRefund),
  ok: 'One page of refunds.',
  example: { params: { instruction: 'sent' }, answer: { object: 'list' } },
})
