import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'

interface Turn {
  readonly name: string
  readonly holder: string
  readonly nowMs: number
  /** No other replica takes the turn before this time, even if the holder dies. */
  readonly untilMs: number
}

/**
 * Elects the one replica that runs a sweep in this interval, by a row that is leased until the interval ends. A lease
 * that ends two intervals from now or later was taken before the database's clock was set back, and holds nobody up.
 */
export async function takeTurn(writer: Writer, { name, holder, nowMs, untilMs }: Turn): Promise<boolean> {
  const result = await sql<{ name: string }>`
    insert into leases as l (name, holder, lease_until)
    values (${name}, ${holder}::uuid, ${instant(untilMs)}::timestamptz)
    on conflict (name) do update set holder = excluded.holder, lease_until = excluded.lease_until
    where l.lease_until <= ${instant(nowMs)}::timestamptz or l.lease_until >= ${instant(2 * untilMs - nowMs)}::timestamptz
    returning l.name`.execute(writer)
  return result.rows.length > 0
}
