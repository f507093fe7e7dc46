import { inTransaction, type Session } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type Id, type MerchantId, uuidOf } from '../base/ids.ts'
import { untilClaimed } from './answers.ts'

/** Races that a request may lose to other changes of its row before it holds the row. */
const RACES_MAX = 4

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

/**
 * Repeats an attempt while it returns null: the row has changed since it was read, or the key is taken. Contention
 * alone never fails a request. After a few lost races the next attempt waits for the row and holds it.
 */
export async function untilWritten<T>(
  db: Session,
  row: ChangedRow,
  attempt: (db: Session) => Promise<T | null>,
): Promise<T> {
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
