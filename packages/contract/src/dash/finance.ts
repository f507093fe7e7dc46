import { z } from 'zod'
import { currencyField, minorUnits, objectField, railCodeField } from '../fields.ts'
import { createdFilter } from '../form.ts'
import { instant, merchantField, merchantFilter, staffRead } from './common.ts'
import { zone } from './zones.ts'

/** Days and rows of a summary that is shown, and rows of the ledger that it sums up. A file takes more. docs/spec-gaps.md, exports. */
export const FINANCE_DAYS_MAX = 31
export const FINANCE_ROWS_MAX = 2_000
export const FINANCE_SUMMED_MAX = 500_000

const counted = (what: string) => z.int().describe(`How many ${what} of the day there are.`)

const FinanceDay = z
  .strictObject({
    day: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .describe('The day in the zone of the summary, such as `2026-11-21`.'),
    merchant: merchantField,
    rail: railCodeField('The rail on which the money moved.'),
    currency: currencyField,
    payments: counted('succeeded charges'),
    gross: minorUnits('Sum of the succeeded charges.'),
    duplicates: counted('duplicate charges'),
    duplicates_amount: minorUnits('Sum of the duplicate charges.'),
    refunds: counted('refunds that are not failed or canceled'),
    refunds_amount: minorUnits('Sum of these refunds.'),
    returns: counted('returns of duplicates that their rail has not refused'),
    returns_amount: minorUnits('Sum of these returns.'),
    net: minorUnits('Gross and duplicates, without refunds and returns.'),
  })
  .meta({
    id: 'FinanceDay',
    description:
      'What a merchant collected and paid back on a rail in a day. Each object counts on the day of its creation.',
  })
export type FinanceDay = z.infer<typeof FinanceDay>

export const FinanceSummary = z
  .strictObject({
    object: objectField('finance_summary'),
    from: instant('The start of the time that it covers.'),
    until: instant(
      'The end of that time, which it does not include. At the latest two and a half minutes ago, because younger rows may not be committed yet.',
    ),
    days: z.array(FinanceDay).describe('The days with any money, by merchant, then day, rail and currency.'),
  })
  .meta({ id: 'FinanceSummary', description: 'What was collected and paid back, by merchant, day and rail.' })
export type FinanceSummary = z.infer<typeof FinanceSummary>

export const retrieveFinanceSummary = staffRead({
  id: 'finance.retrieve',
  path: '/finance_summary',
  summary: 'Sum up what was collected and paid back',
  description: [
    `Sums charges, refunds and returns by merchant, day, rail and currency, for at most ${FINANCE_DAYS_MAX} days and ${FINANCE_SUMMED_MAX} of these objects. An export of \`finance_summary\` takes more.`,
  ],
  query: z.strictObject({
    created: createdFilter.describe(
      `The time that it covers, such as \`created[gte]=1767225600\`. At most ${FINANCE_DAYS_MAX} days. Default: the last seven days of the zone, from the start of the first.`,
    ),
    zone,
    merchant: merchantFilter,
  }),
  schema: FinanceSummary,
  errors: ['merchant_moved'],
  ok: 'The summary.',
  example: { params: { zone: 'douala' }, answer: { object: 'finance_summary' } },
})
