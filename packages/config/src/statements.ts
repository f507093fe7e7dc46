import { currencies } from '@merchant-payments/contract'
import { statementDelimiters } from '@merchant-payments/contract/records'
import { z } from 'zod'
import type { ConfigProblem } from './faults.ts'
import { spelled } from './path.ts'
import { setting } from './setting.ts'
import { unique } from './unique.ts'

const COLUMN_CHARS_MAX = 200

const column = z.string().min(1).max(COLUMN_CHARS_MAX)
const words = z.array(z.string().min(1).max(COLUMN_CHARS_MAX)).min(1)

/** Which column of an operator's statement is what. A head that occurs more than once is named with its number: `Currency_1`. */
const fields = z.strictObject({
  rail: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a rail code')
    .meta(setting({ description: 'The code of the rail whose operator writes the statements.' })),
  delimiter: z
    .enum(statementDelimiters)
    .default(',')
    .meta(setting({ description: 'What separates the fields of a line.' })),
  utc_offset: z
    .string()
    .regex(/^[+-](?:0\d|1[0-4]):[0-5]\d$/, 'must be an offset such as +01:00')
    .default('+01:00')
    .meta(setting({ description: 'The zone of the operator’s days and times.' })),
  date: column.meta(setting({ description: 'The column of the day, with or without the time.' })),
  time: column
    .optional()
    .meta(setting({ description: 'The column of the time.', absent: 'the time is in `date`' })),
  day_first: z
    .boolean()
    .default(false)
    .meta(setting({ description: 'Whether a day is written as 21/11/2026 and not as 2026-11-21.' })),
  status: column.meta(setting({ description: 'The column of the outcome.' })),
  succeeded: words.meta(
    setting({ description: 'The outcomes of lines that moved money. Others are left out.' }),
  ),
  type: column.meta(setting({ description: 'The column of the kind of movement.' })),
  charges: words.meta(setting({ description: 'The kinds that collect money from a payer.' })),
  payouts: z
    .array(z.string().min(1).max(COLUMN_CHARS_MAX))
    .default([])
    .meta(
      setting({ description: 'The kinds that pay money out. Kinds that neither list names are left out.' }),
    ),
  reference: column
    .optional()
    .meta(setting({ description: 'The column of our reference.', absent: 'the transaction decides' })),
  transaction: column.meta(setting({ description: 'The column of the operator’s transaction.' })),
  amount: z
    .array(column)
    .min(1)
    .optional()
    .meta(
      setting({
        description:
          'The columns of the amount, of a file whose columns do not tell the direction. The first that is neither empty nor zero counts. A charge with a minus sign is the reversal of one.',
        absent: '`credit` and `debit`',
      }),
    ),
  credit: z
    .array(column)
    .min(1)
    .optional()
    .meta(
      setting({
        description:
          'The columns of money that came in, together with `debit`. A payout there is one that came back, unless it has a minus sign.',
        absent: '`amount`',
      }),
    ),
  debit: z
    .array(column)
    .min(1)
    .optional()
    .meta(
      setting({
        description: 'The columns of money that went out. A charge there is the reversal of one.',
        absent: '`amount`',
      }),
    ),
  payout_sign: z
    .enum(['positive', 'negative'])
    .optional()
    .meta(
      setting({
        description:
          'The sign with which the operator writes each payout in `amount` or `debit`. A payout with the other sign is one that came back.',
        absent: 'the sign of a payout does not count',
      }),
    ),
  currency: column
    .optional()
    .meta(setting({ description: 'The column of the currency.', absent: '`default_currency`' })),
  default_currency: z
    .enum(currencies as ['XAF', 'EUR'])
    .default('XAF')
    .meta(setting({ description: 'The currency of a line that names none.' })),
})

/** A column whose direction is guessed would take a reversal for a payment. */
const columns = fields.check(
  z.superRefine((file, ctx) => {
    const add = (path: 'amount' | 'credit' | 'debit', message: string) =>
      ctx.addIssue({ code: 'custom', path: [path], message })
    const directed = ['credit', 'debit'] as const
    const named = directed.filter((path) => file[path] !== undefined)
    if (file.amount !== undefined) for (const path of named) add(path, 'must not be beside amount')
    else if (named.length === 0) add('amount', 'is required, or credit and debit')
    else for (const path of directed) if (!named.includes(path)) add(path, 'is required beside the other')
  }),
)

/** The operators' statements, one for each rail. */
export const statements = z.array(columns).default([]).check(unique('rail'))

const named = z.object({
  rails: z.record(z.string(), z.unknown()),
  statements: z.array(z.object({ rail: z.string() }).catch({ rail: '' })),
})

/** Statements of rails that the file does not have. They would be read for nothing. */
export function unknownRailsOf(document: unknown): ConfigProblem[] {
  const { success, data } = named.safeParse(document)
  if (!success) return []
  return data.statements.flatMap(({ rail }, index) =>
    Object.hasOwn(data.rails, rail)
      ? []
      : [{ path: spelled(['statements', index, 'rail']), message: 'must be the code of a rail in rails' }],
  )
}
