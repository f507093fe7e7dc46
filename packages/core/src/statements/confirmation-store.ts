import { sql } from 'kysely'

/** Where an operator's statement lists a payout. */
export interface Confirmed {
  readonly confirmed_in: string | null
  readonly confirmed_by: string | null
  readonly confirmed_at: number | null
}

export const confirmedColumns = ['confirmed_in', 'confirmed_by', 'confirmed_at'] as const

/** Joins `k` to a payout `r`: one step of the index of references, and one to the statement, which must be in force. */
export const confirmation = sql`left join lateral (
  select s.statement_id as confirmed_in, s.transaction_id as confirmed_by, s.at as confirmed_at
  from statement_rows s join statements x on x.id = s.statement_id and x.status <> 'replaced'
  where s.rail = r.rail and s.reference = r.reference and s.kind = 'payout' and s.verdict = 'matched' limit 1) k on true`
