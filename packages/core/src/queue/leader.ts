import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'

interface Turn {
  readonly name: string
  readonly holder: string
  readonly nowMs: number
  /** No other replica's turn begins before this, whatever happens to the holder. */
  readonly untilMs: number
}

/** One replica runs a sweep in each interval. The leased row elects it and keeps the interval. */
export async function takeTurn(writer: Writer, { name, holder, nowMs, untilMs }: Turn): Promise<boolean> {
  const result = await sql<{ name: string }>`
    insert into leases as l (name, holder, lease_until)
    values (${name}, ${holder}::uuid, ${instant(untilMs)}::timestamptz)
    on conflict (name) do update set holder = excluded.holder, lease_until = excluded.lease_until
    where l.lease_until <= ${instant(nowMs)}::timestamptz
    returning l.name`.execute(writer)
  return result.rows.length > 0
}
