import { idOf, mintId, uuidOf } from '@merchant-payments/core'
import type { Tx } from '@merchant-payments/db'

/** Characters that JSON writes in six bytes. */
const costly = (chars: number) => '\u0001'.repeat(chars)

const metadataOf = (keys: number) =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: keys }, (_, n) => [costly(38) + String(n + 10), costly(500)])),
  )

/** Bytes of a row, of which a page has room for several. */
const metadata = metadataOf(8)

const description = costly(1_000)

interface Line {
  readonly metadata: string
  /** The minimum size of a row's JSON in bytes. */
  readonly bytes: number
}

const lineOf = (keys: number): Line => {
  const text = metadataOf(keys)
  return { metadata: text, bytes: text.length + JSON.stringify(description).length + 340 }
}

const line = lineOf(8)

/** The largest possible metadata: fifty keys. */
const largestLine = lineOf(50)

type MakeHeavy = (tx: Tx, uuids: readonly string[]) => Promise<unknown>

/** Creates rows that fill a page with a few, by the id of the list's operation. */
export const heavyMakers: Readonly<Record<string, MakeHeavy>> = {
  'paymentIntents.list': (tx, uuids) => {
    const error = { error_code: 'declined', error_rail: 'mtn_momo_cm', error_message: costly(500) }
    return tx
      .updateTable('payment_intents')
      .set({ metadata, description, ...error, error_decline_code: costly(500) })
      .where('id', 'in', uuids)
      .execute()
  },
  'checkout.sessions.list': (tx, uuids) => {
    const urls = { success_url: costly(2_048), cancel_url: costly(2_048), return_url: costly(2_048) }
    return tx
      .updateTable('checkout_sessions')
      .set({ metadata, ui_mode: 'hosted', ...urls, client_reference_id: costly(200) })
      .where('id', 'in', uuids)
      .execute()
  },
  'customers.list': (tx, uuids) => {
    const lines = { line1: costly(200), line2: costly(200), city: costly(200), state: costly(200) }
    return tx
      .updateTable('customers')
      .set({ metadata, name: costly(256), email: costly(512), ...lines, postal_code: costly(200) })
      .where('id', 'in', uuids)
      .execute()
  },
  'refunds.list': (tx, uuids) =>
    tx
      .updateTable('refunds')
      .set({ metadata, rail_code: costly(500), rail_message: costly(500) })
      .where('id', 'in', uuids)
      .execute(),
  'invoices.list': async (tx, uuids) => {
    const invoices = tx.updateTable('invoices').where('id', 'in', uuids)
    await invoices.set({ metadata, description, total: 1, line_count: 1, item_bytes: line.bytes }).execute()
    for (const uuid of uuids) await addHeavyLines(tx, uuid, line, 1)
  },
  'events.list': async (tx, uuids) => {
    for (const uuid of uuids) {
      const id = idOf('evt', uuid)
      const body = `{"id":"${id}","object":"event","data":{"object":{"metadata":${metadata}}}}`
      await tx.updateTable('events').set({ body }).where('id', '=', uuid).execute()
    }
  },
}

async function addHeavyLines(tx: Tx, invoice: string, line: Line, count: number): Promise<void> {
  const { merchant_id } = await tx
    .selectFrom('invoices')
    .select('merchant_id')
    .where('id', '=', invoice)
    .executeTakeFirstOrThrow()
  const price = { amount: 1, unit_amount: 1, quantity: 1 }
  const row = { merchant_id, invoice_id: invoice, ...price, description, ...line }
  const lines = Array.from({ length: count }, () => ({ ...row, id: uuidOf(mintId('ii', Date.now())) }))
  await tx.insertInto('invoice_items').values(lines).execute()
}

/** A draft with more lines than the limit, as from before the limit existed. */
export async function insertLargeInvoice(
  tx: Tx,
  merchant: string,
  uuid: string,
  lines: number,
): Promise<void> {
  const customer = uuidOf(mintId('cus', Date.now()))
  const person = { merchant_id: merchant, id: customer, name: 'Awa', metadata: '{}', livemode: false }
  await tx
    .insertInto('customers')
    .values({ ...person, last_used_at: '2026-01-01T00:00:00Z' })
    .execute()
  const draft = { status: 'draft', customer_id: customer, currency: 'XAF' } as const
  const counted = { total: lines, line_count: lines, item_bytes: lines * largestLine.bytes }
  const row = { merchant_id: merchant, id: uuid, ...draft, ...counted, payment_method_types: [] }
  await tx
    .insertInto('invoices')
    .values({ ...row, metadata: '{}', livemode: false })
    .execute()
  await addHeavyLines(tx, uuid, largestLine, lines)
}
