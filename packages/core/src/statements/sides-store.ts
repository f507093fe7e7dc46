import { type RawBuilder, sql } from 'kysely'
import { livesHere } from '../base/client-status.ts'

/** docs/spec-gaps.md, reconciliation: how long before a statement's day its charges and payouts may have been opened. */
export const CHARGES_OPENED_BEFORE_DAYS = 3
const PAYOUTS_OPENED_BEFORE_DAYS = 31

// In the words of the indexes refunds_sent_late and charge_returns_sent_late.
const isSentLate = sql`t.submit_deadline - t.opened_at > interval '${sql.raw(String(PAYOUTS_OPENED_BEFORE_DAYS))} days'`

/** What refunds and returns of duplicates share. */
const payouts = {
  kind: 'payout',
  transaction: sql`null::text`,
  isPaid: sql`t.instruction = 'accepted'`,
  paidAt: sql`t.opened_at`,
  isDoubled: sql`false`,
  isExtra: sql`false`,
  openedBeforeDays: PAYOUTS_OPENED_BEFORE_DAYS,
  late: { isLate: isSentLate, paidAt: sql`t.submit_deadline` },
} as const

/** The ledger's side of a step: what an operator's statement may list. */
export const sides = {
  charges: {
    kind: 'charge',
    prefix: 'ch',
    table: 'charges',
    // Where the rail named none, the one that proves the ruling.
    transaction: sql`coalesce(t.rail_txn_id, case
      when t.statement is not null and not is_unproven(t.merchant_id, t.id, t.ruling, t.rail_txn_id) then t.statement end)`,
    isPaid: sql`t.status in ('succeeded', 'duplicate')`,
    paidAt: sql`t.settled_at`,
    isDoubled: sql`t.status = 'duplicate'`,
    isExtra: sql`t.status = 'duplicate' and not exists (
      select from charge_returns b where b.merchant_id = t.merchant_id and b.charge_id = t.id and b.instruction <> 'refused')`,
    openedBeforeDays: CHARGES_OPENED_BEFORE_DAYS,
    late: null,
  },
  refunds: { ...payouts, prefix: 're', table: 'refunds' },
  returns: { ...payouts, prefix: 'rt', table: 'charge_returns' },
} as const

export type Side = keyof typeof sides

type Prefix = (typeof sides)[Side]['prefix']

/**
 * Whether the object `alias` counts in this cell. That of a merchant of another cell does so only while a statement
 * here shows it as missing: a later line takes that row away.
 */
export const countsHere = (alias: 't' | 'p') => sql`(${livesHere(sql.ref(`${alias}.merchant_id`))} or exists (
          select from statement_rows m where m.verdict = 'ours_only' and m.object = ${sql.ref(`${alias}.id`)} offset 0))`

/** An object of one kind, as `anyObject` reads it. */
const objectOf = (side: Side, isIt: (prefix: Prefix) => RawBuilder<unknown>) => {
  const { kind, prefix, table, transaction, isPaid, paidAt, isDoubled, isExtra, late } = sides[side]
  const at = late === null ? paidAt : sql`case when ${late.isLate} then ${late.paidAt} else ${paidAt} end`
  return sql`
        select ${kind} as line_kind, ${prefix} as object_kind, t.merchant_id, t.id, t.payment_intent_id, t.reference,
          ${transaction} as transaction_id, t.amount, t.currency, ${isPaid} as is_paid, ${at} as paid_at,
          ${isDoubled} as is_doubled, ${isExtra} as is_extra
        from ${sql.table(table)} t where ${isIt(prefix)} and ${countsHere('t')}`
}

/** The object of a line, of either kind: one of each table, of which one at most is there. */
export const anyObject = (isIt: (prefix: Prefix) => RawBuilder<unknown>) => sql`
        ${objectOf('charges', isIt)}
        union all ${objectOf('refunds', isIt)}
        union all ${objectOf('returns', isIt)}
        limit 1`

/** What the columns of `anyObject` and of a page of objects have in common, of the relation `p`. */
export const objectColumns = sql`p.line_kind, p.object_kind, p.merchant_id, p.id, p.payment_intent_id, p.reference,
        p.transaction_id, p.amount, p.currency, p.is_paid, p.is_doubled, p.is_extra`
