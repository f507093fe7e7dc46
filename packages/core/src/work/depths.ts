import type { Writer } from '@merchant-payments/db'
import { sql } from 'kysely'

/** Rows that are counted of a queue: deeper ones are told as this deep, so that a look stays cheap. */
const DEPTH_MAX = 10_000

/** What waits in one of the worker's queues. */
export interface QueueDepth {
  readonly queue: string
  readonly waiting: number
  /** How long ago the oldest fell due, or was set aside; 0 when none has. */
  readonly overdueMs: number
}

/** The queues of the worker, and what lies beside them until an operator acts. Each is one partial index. */
export async function readDepths(writer: Writer, nowMs: number): Promise<readonly QueueDepth[]> {
  const depth = (queue: string, table: string, waiting: string, due: string) => sql`
    select ${sql.lit(queue)} as queue,
      (select count(*) from (
        select from ${sql.table(table)} where ${sql.raw(waiting)} limit ${DEPTH_MAX}) q)::integer as waiting,
      (select min(${sql.ref(due)}) from ${sql.table(table)} where ${sql.raw(waiting)}) as due`
  const { rows } = await sql<{ queue: string; waiting: number; due: number | null }>`
    ${depth('charges_to_query', 'charges', 'next_query_at is not null', 'next_query_at')}
    union all ${depth('refunds_to_instruct', 'refunds', 'instruct_at is not null', 'instruct_at')}
    union all ${depth('events_to_fan_out', 'events', "fanout_state = 'pending'", 'fanout_due_at')}
    union all ${depth('deliveries', 'delivery_jobs', 'dead_at is null', 'due_at')}
    union all ${depth('events_failed', 'events', "fanout_state = 'failed'", 'fanout_due_at')}
    union all ${depth('deliveries_exhausted', 'deliveries', "status = 'exhausted'", 'finished_at')}
    union all ${depth('dead_letters', 'delivery_jobs', 'dead_at is not null', 'dead_at')}`.execute(writer)
  return rows.map(({ queue, waiting, due }) => ({
    queue,
    waiting,
    overdueMs: due === null ? 0 : Math.max(0, nowMs - due),
  }))
}
