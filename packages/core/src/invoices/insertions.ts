import { sql } from 'kysely'
import { type Creation, createTogether, inserting, made } from '../commit/creates.ts'
import type { NewEvent } from '../commit/event.ts'
import type { Invoice } from './invoice.ts'
import { invoiceRows, newInvoiceRow } from './store.ts'

interface NewInvoice extends Creation {
  readonly invoice: Invoice<'draft'>
  readonly event: NewEvent
}

const ensureCounters = sql`
  insert into invoice_counters (merchant_id) select distinct merchant_id from ${made} order by 1 on conflict do nothing`

export const newInvoices = createTogether<NewInvoice>({
  inserts: [inserting(invoiceRows, ({ invoice }: NewInvoice) => newInvoiceRow(invoice))],
  customerOf: ({ invoice }) => invoice.customerId,
  namesCustomers: true,
  eventOf: ({ event }) => event,
  extraInsert: ensureCounters,
})
