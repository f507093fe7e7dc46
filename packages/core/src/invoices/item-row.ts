import type { InvoiceItemTable } from '@merchant-payments/db'
import type { Selectable } from 'kysely'
import { idOf } from '../base/ids.ts'
import type { InvoiceItem } from './item.ts'

export type ItemRow = Selectable<InvoiceItemTable>

export const itemColumns = [
  'merchant_id',
  'id',
  'invoice_id',
  'amount',
  'unit_amount',
  'quantity',
  'description',
  'metadata',
  'bytes',
  'revision',
] as const satisfies readonly (keyof ItemRow)[]

export const itemOf = (row: ItemRow): InvoiceItem => ({
  id: idOf('ii', row.id),
  amountMinor: row.amount,
  unitAmountMinor: row.unit_amount,
  quantity: row.quantity,
  description: row.description,
  metadata: row.metadata,
  bytes: row.bytes,
  revision: row.revision,
})
