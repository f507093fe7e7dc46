import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'

interface Turn {
  /** The sweep. One replica runs it in each interval. */
  readonly name: string
  /** The replica that asks, shown to operators. */
  readonly holder: string
  readonly nowMs: number
  /** No other replica's turn begins before this, whatever happens to the holder. */
  readonly untilMs: number
}

/**
 * Elects the replica that runs a sweep by a leased row, which also keeps the sweep's interval. @returns whether it
 * is ours
 */
export async function takeTurn(writer: Writer, { name, holder, nowMs, untilMs }: Turn): Promise<boolean> {
  const result = await sql<{ name: string }>`
    insert into leases as l (name, holder, lease_until)
    values (${name}, ${holder}::uuid, ${instant(untilMs)}::timestamptz)
    on conflict (name) do update set holder = excluded.holder, lease_until = excluded.lease_until
    where l.lease_until <= ${instant(nowMs)}::timestamptz
    returning l.name`.execute(writer)
  return result.rows.length > 0
}
