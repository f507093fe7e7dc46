import { z } from 'zod'
import { currencyField, minorUnits, objectField } from '../fields.ts'
import { staffFilters, staffRead } from './common.ts'
import { chargeFilters } from './charges.ts'
import { intentFilters } from './payment-intents.ts'
import { refundFilters } from './refunds.ts'

export const Totals = z
  .strictObject({
    object: objectField('totals'),
    count: z.int().describe('Number of objects. The count stops at 10 000.'),
    is_more: z.boolean().describe('Whether there are more than 10 000 objects.'),
    sums: z
      .array(z.strictObject({ currency: currencyField, amount: minorUnits('Sum of the amounts.') }))
      .describe('Sums of the amounts, by currency. Empty if there are more than 10 000 objects.'),
  })
  .meta({
    id: 'Totals',
    description: 'How many objects a list has under its filters, and the sums of their amounts.',
  })
export type Totals = z.infer<typeof Totals>

const totals = <Query extends z.ZodRawShape>(
  noun: string,
  list: string,
  path: `/${string}`,
  filters: Query,
) =>
  staffRead({
    id: `${list}.total`,
    path: `/totals${path}`,
    summary: `Count ${noun} and sum their amounts`,
    description: [
      `Counts the ${noun} of the list under the same filters, up to 10 000, and sums their amounts.`,
    ],
    query: z.strictObject({ ...staffFilters, ...filters }),
    schema: Totals,
    ok: 'The totals.',
    example: { answer: { object: 'totals', is_more: false } },
  })

export const totalStaffIntents = totals('payments', 'paymentIntents', '/payment_intents', intentFilters)
export const totalStaffCharges = totals('charges', 'charges', '/charges', chargeFilters)
export const totalStaffRefunds = totals('refunds', 'refunds', '/refunds', refundFilters)
