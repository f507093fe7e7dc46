import type { Statement as WireStatement } from '@merchant-payments/contract'
import type { StatementTable } from '@merchant-payments/db'
import type { Selectable } from 'kysely'
import { secondsOf, secondsOrNull } from '../base/clock.ts'
import { idOf } from '../base/ids.ts'

/** A line of an operator's statement that moved money, without the payer's number. */
export interface StatementLine {
  /** Lines of the part before it. */
  readonly offset: number
  readonly kind: 'charge' | 'payout'
  readonly reference: string | null
  readonly transactionId: string | null
  /** Negative if the money moved against the direction of the kind: a charge that was reversed, a payout that came back. */
  readonly amountMinor: number
  readonly currency: string
  readonly atMs: number | null
}

/** Lines of one part of a file, in the order of the file. */
export interface StatementPart {
  /** Counts the parts from 0. */
  readonly number: number
  /** The heads of the columns. */
  readonly heads: readonly string[] | null
  /** All lines of the part, of which `money` are some. */
  readonly lines: number
  readonly money: readonly StatementLine[]
}

export const statementColumns = [
  'id',
  'rail',
  'day',
  'from_at',
  'until_at',
  'status',
  'parts',
  'heads',
  'lines',
  'money_lines',
  'charges_sum',
  'payouts_sum',
  'matched',
  'ours_only',
  'theirs_only',
  'amount_differs',
  'duplicate',
  'step',
  'cursor_merchant',
  'cursor_id',
  'cursor_n',
  'created_by',
  'created_name',
  'created_at',
  'closed_by',
  'closed_name',
  'closed_at',
] as const satisfies readonly (keyof StatementTable)[]

export type StatementRow = Pick<Selectable<StatementTable>, (typeof statementColumns)[number]>

const personOf = (subject: string | null, name: string | null) =>
  subject === null || name === null ? null : { subject, name }

export const renderStatement = (row: StatementRow): WireStatement => ({
  id: idOf('st', row.id),
  object: 'statement',
  rail: row.rail,
  day: row.day,
  from: secondsOf(row.from_at),
  until: secondsOf(row.until_at),
  status: row.status,
  parts: row.parts,
  lines: row.lines,
  money_lines: row.money_lines,
  charges_sum: row.charges_sum,
  payouts_sum: row.payouts_sum,
  matched: row.matched,
  ours_only: row.ours_only,
  theirs_only: row.theirs_only,
  amount_differs: row.amount_differs,
  duplicate: row.duplicate,
  created_by: { subject: row.created_by, name: row.created_name },
  created: secondsOf(row.created_at),
  closed_by: personOf(row.closed_by, row.closed_name),
  closed_at: secondsOrNull(row.closed_at),
})
