import pg from 'pg'
import { type Cell, inTransaction } from './cell.ts'
import { readShapes } from './rows.ts'
import { rollupTables } from './tables.ts'

const name = pg.escapeIdentifier

/**
 * Sums a cell's counts of all merchants (the rows of merchant `*`) again, in the buckets of a merchant that has come. The
 * worker sums only buckets of late, and the merchant brings older ones.
 */
export const addToTotals = (cell: Cell, merchantId: string): Promise<void> =>
  sumAnew(cell, merchantId, 'stays')

/**
 * Removes a merchant's counts and sums those of all merchants again, in one transaction for each table. The worker cannot
 * add them to a sum in between.
 */
export const takeFromTotals = (cell: Cell, merchantId: string): Promise<void> =>
  sumAnew(cell, merchantId, 'goes')

async function sumAnew(cell: Cell, merchantId: string, merchant: 'stays' | 'goes'): Promise<void> {
  const shapes = await readShapes(cell, rollupTables)
  for (const table of rollupTables) {
    const shape = shapes.get(table)
    if (shape === undefined) throw new Error(`the database has no table ${table}`)
    const keys = shape.key.map((column) => column.name).filter((column) => column !== 'merchant_id')
    const isKey = (column: string) => column === 'merchant_id' || keys.includes(column)
    const values = shape.columns.filter((column) => !isKey(column.name))
    const listed = (columns: readonly string[]) => columns.map((column) => name(column)).join(', ')
    const sums = values.map(({ name: column, type }) => `sum(${name(column)})::${type}`).join(', ')
    const ofMerchant = `(size_min, bucket) in (select size_min, bucket from ${table} where merchant_id = $1)`
    await inTransaction(cell, async () => {
      // The worker's statements wait. Each then sees what this transaction has written.
      await cell.client.query(`lock table ${table} in share row exclusive mode`)
      await cell.client.query(`delete from ${table} where merchant_id = '*' and ${ofMerchant}`, [merchantId])
      await cell.client.query(
        `insert into ${table} (merchant_id, ${listed(keys)}, ${listed(values.map((column) => column.name))})
        select '*', ${listed(keys)}, ${sums} from ${table}
        where merchant_id <> '*' and (merchant_id <> $1 or $2::boolean) and ${ofMerchant}
        group by ${listed(keys)}`,
        [merchantId, merchant === 'stays'],
      )
      if (merchant === 'goes')
        await cell.client.query(`delete from ${table} where merchant_id = $1`, [merchantId])
    })
  }
}
