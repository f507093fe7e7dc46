import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, idField, minorUnits, objectField, railCodeField } from '../fields.ts'
import { Refund } from '../refunds.ts'
import { change, instant, merchantField, textOrNull } from './common.ts'
import { StaffRefund } from './refunds.ts'

/** A return of a duplicate charge to its payer. No surface shows the paid number. */
export const StaffChargeReturn = z
  .strictObject({
    id: idField('rt', 'rt_0190b2c553437c0d8ae561b2d94f70c3'),
    object: objectField('charge_return'),
    merchant: merchantField,
    charge: z.string().describe('The id of the duplicate charge.'),
    payment_intent: z.string().describe('The id of the charge’s payment intent.'),
    customer: textOrNull('The id of the intent’s customer.', 'if it has none'),
    amount: minorUnits('Amount of the return: the whole charge.'),
    currency: currencyField,
    rail: railCodeField('The rail that took the charge and pays it back.'),
    failure_reason: Refund.shape.failure_reason.describe(
      'Why the return failed. Null unless the rail refused it.',
    ),
    created: instant('When staff asked for the return.'),
    ...StaffRefund.pick({
      reference: true,
      instruction: true,
      tries: true,
      next_look_at: true,
      rested_at: true,
      rail_code: true,
      rail_message: true,
      confirmed: true,
      request_id: true,
    }).shape,
  })
  .meta({
    id: 'StaffChargeReturn',
    description: 'A return of a duplicate charge to its payer. No surface shows the paid number.',
  })
export type StaffChargeReturn = z.infer<typeof StaffChargeReturn>

/** Returns the whole charge to the number that paid. `msisdn` is for charges whose number was erased. */
export const returnCharge = change({
  id: 'charges.return',
  isGrave: true,
  role: 'operator',
  path: '/charges/{id}/return',
  prefix: 'ch',
  body: {
    msisdn: z
      .string('must be a single number')
      .optional()
      .describe(
        'The number to pay, in any spelling. Only if the paying number was erased. A second staff member must then approve.',
      ),
  },
  summary: 'Send a duplicate charge back to its payer',
  description: [
    'Returns the whole charge to the number that paid it. The worker instructs the rail. A charge has at most one return, unless its rail refuses it.',
    'A return to a number that you name is stored as a request for approval instead.',
  ],
  errors: [
    'charge_not_duplicate',
    'charge_returned',
    'charge_unproven',
    'not_supported',
    'approval_pending',
    'staff_limit_reached',
  ],
  example: {
    id: exampleIds.duplicate,
    params: { reason: 'The payer approved both prompts.' },
    answer: { object: 'audit_entry', action: 'charge.return', target: exampleIds.duplicate },
  },
})
