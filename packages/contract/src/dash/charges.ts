import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, idField, minorUnits, objectField, railCodeField } from '../fields.ts'
import { listOf } from '../list.ts'
import {
  amountFilter,
  change,
  currencyFilter,
  instant,
  instantOrNull,
  merchantField,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'
import { chargeQueues, chargeStatuses } from '../words.ts'

const chargeRulings = ['succeeded', 'failed'] as const

export const chargeStatus = z.enum(chargeStatuses).meta({
  id: 'ChargeStatus',
  description:
    'State of a charge. `submitting`: committed, not yet answered by the rail. `live`: the rail accepted it. `unconfirmed`: the rail may or may not have it. `succeeded`: it paid the intent. `duplicate`: money collected in addition to another success. `failed`: the rail refused it. `abandoned`: it never reached the rail.',
})

/** Money that a rail reports, of another amount or currency than the charge. */
export const reportedMoney = {
  amount: z
    .int()
    .nullable()
    .describe('The amount that the rail reports. In minor units. Null if it names none.'),
  currency: textOrNull('The currency that the rail reports, in its own spelling.', 'if it names none'),
}

/** One attempt to collect an intent on a rail, with all stored answers of the rail. */
export const StaffCharge = z
  .strictObject({
    id: idField('ch', exampleIds.charge),
    object: objectField('charge'),
    merchant: merchantField,
    payment_intent: z.string().describe('The id of the payment intent that the charge collects.'),
    customer: textOrNull('The id of the intent’s customer.', 'if it has none'),
    rail: railCodeField('The rail of the charge.'),
    status: chargeStatus,
    amount: minorUnits('Amount that the charge collects.'),
    currency: currencyField,
    payer_msisdn: textOrNull(
      'The payer’s number: twelve digits on the payment’s page, masked as `6 •• •• •• 27` in the list of charges. `[redacted]` once the customer is erased.',
      'if the rail needed none',
    ),
    reference: z.string().describe('The service’s reference for the charge at its rail.'),
    rail_txn_id: textOrNull('The rail’s own transaction.', 'while the rail has named none'),
    rail_code: textOrNull('The last code that the rail answered.', 'if it gave none'),
    rail_message: textOrNull('The last message that the rail answered.', 'if it gave none'),
    created: instant('When the charge was opened.'),
    submit_deadline: instant('Until when the charge may be submitted to the rail.'),
    acknowledged_at: instantOrNull('When the rail accepted the charge.', 'if it has not'),
    settled_at: instantOrNull('When the outcome was written.', 'while it is open'),
    last_query_at: instantOrNull('When the rail was last asked for the charge.', 'if it never was'),
    next_query_at: instantOrNull(
      'When the service next asks the rail for the charge.',
      'if it no longer asks',
    ),
    not_found_count: z.int().describe('How many times the rail answered that it has no such charge.'),
    ruling: z
      .enum(chargeRulings)
      .nullable()
      .describe('An operator’s ruling in place of the rail’s answer. Null if there is none.'),
    unproven: z
      .boolean()
      .describe(
        'Whether it succeeded only by a ruling, without the rail’s answer or a reference in its statement. Such a charge cannot be refunded or returned yet.',
      ),
    returned: z
      .boolean()
      .describe('Whether a return of it exists that its rail has not refused. Only for a duplicate charge.'),
    reported: z
      .strictObject({
        ...reportedMoney,
        at: instant('When the rail last reported it.'),
      })
      .nullable()
      .describe(
        'What the rail reports as paid, if its amount or currency differs from the charge’s. Such a report settles nothing. Null if there is none.',
      ),
    request_id: textOrNull('The `request-id` of the confirm that opened the charge.', 'if none is kept'),
  })
  .meta({
    id: 'StaffCharge',
    description: 'One attempt to collect a payment intent on a rail, with all stored answers of the rail.',
  })
export type StaffCharge = z.infer<typeof StaffCharge>

export const chargeFilters = {
  rail: z.string('must be a single rail').optional().describe('Shows charges on the rail with this code.'),
  state: z
    .enum(chargeQueues, `must be one of ${chargeQueues.join(', ')}`)
    .optional()
    .describe(
      '`open`: charges whose outcome is open. `stuck`: those of them that have waited for their rail for 15 minutes. `duplicate`: duplicate charges without a return. `mismatch`: unpaid charges for which the rail reports money of another amount or currency. The overview counts the same charges.',
    ),
  amount: amountFilter,
  currency: currencyFilter,
}

export const listStaffCharges = staffRead({
  id: 'charges.list',
  path: '/charges',
  summary: 'List charges of all merchants',
  description: ['Pages through the charges of all merchants, newest first. All given filters must hold.'],
  query: z.strictObject({
    ...staffListQuery('ch'),
    ...chargeFilters,
  }),
  schema: listOf(StaffCharge),
  ok: 'One page of charges.',
  example: { params: { rail: 'mtn_momo_cm', state: 'stuck' }, answer: { object: 'list' } },
})

export const queryCharge = change({
  id: 'charges.query',
  role: 'operator',
  path: '/charges/{id}/query',
  prefix: 'ch',
  summary: 'Ask the rail for a charge now',
  description: [
    'Makes the next status query due, as a callback of the rail does. The service asks the rail no sooner than two seconds after the last query. A failed or abandoned charge whose watch has ended is watched again for a while.',
  ],
  errors: ['charge_not_queryable'],
  example: {
    id: exampleIds.charge,
    params: { reason: 'The payer says that it is paid.' },
    answer: { object: 'audit_entry', action: 'charge.query', target: exampleIds.charge },
  },
})

/** The transaction's reference in the rail's statement or portal. Never a number or a name. */
const statement = z
  .string('must be a single reference')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._/:-]{2,63}$/,
    'must be a reference of 3 to 64 letters, digits and . _ / : -',
  )

/** The rail writes the currency in its own spelling, so only its length is limited. */
const seenCurrency = z.string('must be a single currency').max(200, 'must have at most 200 characters')

/** `statement` is only valid with `succeeded`. To add it to an unproven charge, rule again. */
export const resolveCharge = change({
  id: 'charges.resolve',
  isGrave: true,
  role: 'operator',
  path: '/charges/{id}/resolve',
  prefix: 'ch',
  body: {
    outcome: z
      .enum(chargeRulings, `must be one of ${chargeRulings.join(', ')}`)
      .describe('The outcome of the charge. `succeeded` requires a second staff member; `failed` does not.'),
    statement: statement
      .optional()
      .describe(
        'The transaction’s reference in the rail’s statement: 3 to 64 letters, digits and `. _ / : -`. Only with `succeeded`. Without it the payment cannot be refunded yet. Refused if an uploaded statement of the rail lists the transaction with another amount or currency, or as a payout.',
      ),
    seen_reported_amount: z
      .string('must be a single number')
      .regex(/^(?:\d{1,16})?$/, 'must be an integer in minor units, or empty')
      .optional()
      .describe(
        '`reported.amount` of the charge as the caller saw it, in minor units. Empty if the report names none. Absent if the caller saw no report.',
      ),
    seen_reported_currency: seenCurrency
      .optional()
      .describe(
        '`reported.currency` of the charge as the caller saw it. Empty if the report names none. Absent if the caller saw no report.',
      ),
  },
  summary: 'Decide a charge that its rail has no answer for',
  description: [
    'Stores an outcome in place of the rail’s missing answer. The worker treats it as the rail’s answer.',
    'Every ruling names the money that the rail reports, as its author saw it. If the rail reports other money by now, nothing is stored and the answer is a 409 `charge_changed`.',
    'A ruling of `succeeded` is stored as a request for approval, because it creates money that can be refunded. To add evidence to an unproven charge, rule again with `statement`.',
  ],
  errors: ['charge_not_resolvable', 'charge_changed', 'approval_pending', 'staff_limit_reached'],
  example: {
    id: exampleIds.charge,
    params: { outcome: 'failed', reason: 'The operator’s portal shows it as refused.' },
    answer: { object: 'audit_entry', action: 'charge.resolve', target: exampleIds.charge },
  },
})
