import { inTransaction, type Session } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type Id, type MerchantId, uuidOf } from '../base/ids.ts'
import type { CommandDeps } from '../deps.ts'
import { untilClaimed } from './answers.ts'

/**
 * How often a change is planned and tried, if another process is first each time. Each loss is a commit of another one,
 * and a row has few writers, so further losses mean contention. What follows costs more: holding the row, or a later
 * query. The last try of a confirm leaves the key out.
 */
export const RACES_MAX = 4

/** The row whose revision decides whether a change is written. For a line of an invoice it is the invoice's. */
export interface ChangedRow {
  readonly table:
    | 'customers'
    | 'payment_intents'
    | 'checkout_sessions'
    | 'refunds'
    | 'invoices'
    | 'invoice_items'
  readonly merchantId: MerchantId
  /** The id from the request, unchecked. An attempt refuses an ill-formed id. */
  readonly idText: string
}

export type Committing = Pick<CommandDeps, 'db' | 'clock'>

export interface Attempt<Found, T> {
  readonly read: (db: Session) => Promise<Found>
  readonly write: (db: Session, found: Found, nowMs: number) => Promise<T | null>
}

/**
 * Repeats an attempt while `write` returns null: the row has changed since it was read, or the key is taken. Contention
 * alone never fails a request. After a few lost races the next attempt waits for the row and holds it.
 *
 * Each attempt gets its time after its read, and the change that it read was committed before. So the later change of a
 * row never has the earlier time, if the clocks of the processes agree (spec 6.3.2).
 */
export async function untilWritten<Found, T>(
  { db, clock }: Committing,
  row: ChangedRow,
  { read, write }: Attempt<Found, T>,
): Promise<T> {
  const attempt = async (session: Session) => {
    const found = await read(session)
    return write(session, found, clock())
  }
  for (let races = 0; races < RACES_MAX; races += 1) {
    const end = await attempt(db)
    if (end !== null) return end
  }
  return inTransaction(db, async (session) => {
    await hold(session, row)
    return untilClaimed(() => attempt(session))
  })
}

async function hold({ writer }: Session, { table, merchantId, idText }: ChangedRow): Promise<void> {
  const id = sql`${uuidOf(idText as Id<'in'>)}::uuid`
  const [held, key] =
    table === 'invoice_items'
      ? [
          'invoices',
          sql`(select invoice_id from invoice_items where merchant_id = ${merchantId} and id = ${id})`,
        ]
      : [table, id]
  await sql`select 1 from ${sql.table(held)} where merchant_id = ${merchantId} and id = ${key} for update`.execute(
    writer,
  )
}
