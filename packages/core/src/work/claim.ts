import { instant, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'

/** A worker that dies holds its rows no longer than this (docs/decisions: one claim-and-lease mechanism). */
export const LEASE_MS = 60_000

/** Rows of one claim. */
export const CLAIM_MAX = 500

export interface Queue {
  readonly table: 'charges' | 'events' | 'delivery_jobs'
  readonly key: readonly string[]
  /** The instant from which a row may be taken. Its partial index holds the waiting rows only. */
  readonly due: string
  readonly waiting: RawBuilder<unknown>
}

export interface ClaimOrder {
  readonly nowMs: number
  readonly limit: number
  /** Also the claim's token: a row is finished only by the claim that holds it. */
  readonly leaseUntilMs: number
}

/**
 * Leases due rows, oldest first, past those that others hold. Every queue of the worker goes through here: charges to
 * query, events to fan out, deliveries to post.
 */
export async function claimDue<Row>(writer: Writer, queue: Queue, order: ClaimOrder): Promise<Row[]> {
  const now = instant(order.nowMs)
  const table = sql.table(queue.table)
  const key = sql.join(queue.key.map((column) => sql.ref(column)))
  const due = sql.ref(queue.due)
  const result = await sql<Row>`
    with due as materialized (
      select ${key} from ${table}
      where ${due} <= ${now}::timestamptz and ${queue.waiting}
        and (lease_until is null or lease_until <= ${now}::timestamptz)
      order by ${due} limit ${Math.min(order.limit, CLAIM_MAX)}
      for update skip locked
    )
    update ${table} q set lease_until = ${instant(order.leaseUntilMs)}::timestamptz
    from due where ${sql.join(
      queue.key.map((column) => sql`${sql.ref(`q.${column}`)} = ${sql.ref(`due.${column}`)}`),
      sql` and `,
    )}
    returning q.*`.execute(writer)
  return result.rows
}
