import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'

interface Turn {
  readonly name: string
  readonly holder: string
  /** No other replica takes the turn before this time, even if the holder dies. */
  readonly untilMs: number
}

interface NewTurn extends Turn {
  readonly nowMs: number
  /** The interval of the sweep, in ms. A turn that is over is kept until the interval ends. */
  readonly everyMs: number
}

/**
 * Elects the one replica that runs a sweep in this interval, by a leased row. A lease that ends two intervals from now or
 * later was taken before the database's clock was set back, and holds nobody up.
 */
export async function takeTurn(
  writer: Writer,
  { name, holder, nowMs, untilMs, everyMs }: NewTurn,
): Promise<boolean> {
  const result = await sql<{ name: string }>`
    insert into leases as l (name, holder, lease_until)
    values (${name}, ${holder}::uuid, ${instant(untilMs)}::timestamptz)
    on conflict (name) do update set holder = excluded.holder, lease_until = excluded.lease_until
    where l.lease_until <= ${instant(nowMs)}::timestamptz
      or l.lease_until >= ${instant(nowMs + 2 * everyMs)}::timestamptz
    returning l.name`.execute(writer)
  return result.rows.length > 0
}

/** Changes the end of a turn. @returns false if another replica has it by now */
export async function keepTurn(writer: Writer, { name, holder, untilMs }: Turn): Promise<boolean> {
  const result = await sql`
    update leases set lease_until = ${instant(untilMs)}::timestamptz
    where name = ${name} and holder = ${holder}::uuid
    returning name`.execute(writer)
  return result.rows.length > 0
}
