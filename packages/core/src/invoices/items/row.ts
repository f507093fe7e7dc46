import type { InvoiceItemTable } from '@merchant-payments/db'
import type { Selectable } from 'kysely'
import { idOf } from '../../base/ids.ts'
import type { InvoiceItem } from './item.ts'

export type ItemRow = Selectable<InvoiceItemTable>

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
