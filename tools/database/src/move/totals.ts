import pg from 'pg'
import { type Cell, inTransaction } from './cell.ts'
import { readShapes } from './rows.ts'

const rollups = ['charge_rollups', 'charge_duration_rollups', 'charge_decline_rollups', 'intent_rollups']

const name = pg.escapeIdentifier

/**
 * Sums a cell's counts of all merchants (the rows of merchant `*`) anew, in the buckets that a merchant has. The worker
 * sums only buckets of late, and a merchant that moves brings or takes older ones.
 *
 * @param merchant whether the sums include the merchant: it came, or its rows are about to go
 */
export async function sumTotals(
  cell: Cell,
  merchantId: string,
  merchant: 'included' | 'excluded',
): Promise<void> {
  const shapes = await readShapes(cell, rollups)
  for (const table of rollups) {
    const shape = shapes.get(table)
    if (shape === undefined) throw new Error(`the database has no table ${table}`)
    const keys = shape.key.map((column) => column.name).filter((column) => column !== 'merchant_id')
    const isKey = (column: string) => column === 'merchant_id' || keys.includes(column)
    const values = shape.columns.filter((column) => !isKey(column.name))
    const listed = (columns: readonly string[]) => columns.map((column) => name(column)).join(', ')
    const sums = values.map(({ name: column, type }) => `sum(${name(column)})::${type}`).join(', ')
    const ofMerchant = `(size_min, bucket) in (select size_min, bucket from ${table} where merchant_id = $1)`
    await inTransaction(cell, async () => {
      await cell.client.query(`delete from ${table} where merchant_id = '*' and ${ofMerchant}`, [merchantId])
      await cell.client.query(
        `insert into ${table} (merchant_id, ${listed(keys)}, ${listed(values.map((column) => column.name))})
        select '*', ${listed(keys)}, ${sums} from ${table}
        where merchant_id <> '*' and (merchant_id <> $1 or $2::boolean) and ${ofMerchant}
        group by ${listed(keys)}`,
        [merchantId, merchant === 'included'],
      )
    })
  }
}
