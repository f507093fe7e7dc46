import type { Tx } from '@merchant-payments/db'
import { sql } from 'kysely'

/** The transaction of a rail that is said to prove a payment of this money. */
interface Evidence {
  readonly rail: string
  readonly transaction: string
  readonly amountMinor: number
  readonly currency: string
  /** Our reference of the charge. */
  readonly reference: string
}

interface ListedLine {
  readonly kind: 'charge' | 'payout'
  readonly transaction: string | null
  /** Negative for a reversal. */
  readonly amount: number
  readonly currency: string | null
  /** The uuid of another charge that the line names by our reference. */
  readonly other: string | null
}

/**
 * A line in force contradicts a ruling if it names the transaction, in any case, and is not this money or is another
 * charge's. So does the reversal of a payment of this charge.
 */
export async function findContradiction(
  tx: Tx,
  { rail, transaction, amountMinor, currency, reference }: Evidence,
): Promise<ListedLine | undefined> {
  const { rows } = await sql<ListedLine>`
    select r.kind, r.transaction_id as transaction, r.amount, r.currency, o.id as other
    from (
      select t.statement_id, t.n, t.rail, t.kind, t.reference, t.transaction_id, t.amount, t.currency from statement_rows t
      where t.rail = ${rail} and lower(t.transaction_id) = lower(${transaction}) and t.amount is not null
      union all
      select v.statement_id, v.n, v.rail, v.kind, v.reference, v.transaction_id, v.amount, v.currency from statement_rows v
      where v.rail = ${rail} and v.reference = ${reference} and v.kind = 'charge' and v.amount < 0) r
    join statements s on s.id = r.statement_id and s.status <> 'replaced'
    left join charges o on o.rail = r.rail and o.reference = r.reference and r.kind = 'charge' and r.reference <> ${reference}
    where r.kind <> 'charge' or r.amount <> ${amountMinor} or r.currency is distinct from ${currency} or o.id is not null
    order by s.day desc, r.n limit 1`.execute(tx)
  return rows[0]
}
