import type { Tx } from '@merchant-payments/db'
import { sql } from 'kysely'

/** The transaction of a rail that is said to prove a payment of this money. */
export interface Evidence {
  readonly rail: string
  readonly transaction: string
  readonly amountMinor: number
  readonly currency: string
}

export interface ListedLine {
  readonly kind: 'charge' | 'payout'
  readonly amount: number
  readonly currency: string | null
}

/**
 * A line that names the transaction, in any case, in a statement of the rail that is in force, and is no payment of this
 * money.
 */
export async function findOtherMoney(
  tx: Tx,
  { rail, transaction, amountMinor, currency }: Evidence,
): Promise<ListedLine | undefined> {
  const { rows } = await sql<ListedLine>`
    select r.kind, r.amount, r.currency from statement_rows r
    join statements s on s.id = r.statement_id and s.status <> 'replaced'
    where r.rail = ${rail} and lower(r.transaction_id) = lower(${transaction}) and r.amount is not null
      and (r.kind <> 'charge' or r.amount <> ${amountMinor} or r.currency is distinct from ${currency})
    order by s.day desc, r.n limit 1`.execute(tx)
  return rows[0]
}
