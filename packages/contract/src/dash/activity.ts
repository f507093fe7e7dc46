import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, objectField } from '../fields.ts'
import { idParam } from '../form.ts'
import { instant, instantOrNull, staffRead, textOrNull } from './common.ts'

/** Objects of each kind in an activity, and its entries at most. docs/spec-gaps.md, staff. */
export const ACTIVITY_OF_KIND_MAX = 50
export const ACTIVITY_MAX = 100

const activitySources = [
  'payment_intent',
  'refund',
  'checkout_session',
  'invoice',
  'alert',
  'statement',
  'staff',
] as const
export type ActivitySource = (typeof activitySources)[number]

export const ActivityEntry = z
  .strictObject({
    at: instant('When the object was created, or when the change was made.'),
    source: z.enum(activitySources).describe('The kind of the record.'),
    id: z.string().describe('The id of the record. For a change by staff, the object that was changed.'),
    text: z
      .string()
      .describe(
        'The state that the object has now, the action of a change by staff, `raised` or `resolved` of an alert, `uploaded` or `closed` of a statement.',
      ),
    about: textOrNull(
      'The name of an alert, the day of a statement, or the staff member who made a change.',
      'for other entries',
    ),
    payment_intent: textOrNull('The id of the payment that shows the object.', 'if no payment does'),
    amount: z.int().nullable().describe('The object’s amount, in minor units. Null if it has none.'),
    currency: currencyField.nullable().describe('The currency of the amount. Null if there is no amount.'),
  })
  .meta({ id: 'ActivityEntry', description: 'An object that was created, or a change.' })
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const Activity = z
  .strictObject({
    object: objectField('activity'),
    entries: z
      .array(ActivityEntry)
      .describe(
        `Payments, refunds, sessions, invoices and changes by staff in one order, newest first: at most ${ACTIVITY_MAX}.`,
      ),
    complete_since: instantOrNull(
      'The entries are complete from here on. Older objects are in their lists.',
      'if there are no older ones',
    ),
  })
  .meta({ id: 'Activity', description: 'What happened lately, in one order.' })
export type Activity = z.infer<typeof Activity>

const summaryOf = `Shows the newest ${ACTIVITY_OF_KIND_MAX} payments, refunds, checkout sessions and invoices, with changes by staff of them and of the charges of these payments`

export const retrieveCustomerActivity = staffRead({
  id: 'customers.activity',
  path: '/customers/{id}/activity',
  summary: 'Show what happened to a customer',
  description: [`${summaryOf}, and of the customer. It holds no data of the person.`],
  params: z.object({ id: idParam('cus') }),
  schema: Activity,
  ok: 'The entries.',
  example: { id: exampleIds.customer, answer: { object: 'activity' } },
})

export const retrieveClientActivity = staffRead({
  id: 'merchantClients.activity',
  path: '/merchant_clients/{id}/activity',
  summary: 'Show what happened to a merchant',
  description: [`${summaryOf}, and of the merchant.`],
  params: z.object({ id: idParam('client') }),
  schema: Activity,
  ok: 'The entries.',
  example: { id: exampleIds.merchant, answer: { object: 'activity' } },
})
