import type { Cell } from './cell.ts'
import { jobTables } from './tables.ts'

/** A thousand years. Hours are the same everywhere, and days and years are not. */
const PUT_OFF = `interval '8766000 hours'`
/** No job is due after this, unless it was put off. */
const AFAR = `timestamptz '2500-01-01 00:00:00+00'`
/** Pages of a table that one statement reads. They hold some 2 000 jobs, whose rows it locks for milliseconds. */
const STEP_PAGES = 32

/**
 * Puts off the merchant's jobs for the time of its move. A claim leaves them out in any case, but it would read all due ones
 * before it finds one of another merchant. Skips jobs that other transactions hold.
 */
export async function putOffJobs({ client }: Cell, merchantId: string): Promise<void> {
  for (const table of jobTables) {
    const isNear = `merchant_id = $1 and due_at < ${AFAR}`
    const change = `update ${table} set due_at = due_at + ${PUT_OFF} where ctid = any (array(
      select ctid from ${table} where ctid = any (array(${rowsOfStep(table, isNear)})) for update skip locked))`
    await inSteps(client, table, change, merchantId)
  }
}

/** Gives the jobs of an open merchant their times back, and waits for those that other transactions hold. */
export async function recallJobs({ client }: Cell, merchantId: string): Promise<void> {
  for (const table of jobTables) {
    const isAfar = `merchant_id = $1 and due_at >= ${AFAR}`
    const change = `update ${table} set due_at = due_at - ${PUT_OFF}
      where ctid = any (array(${rowsOfStep(table, isAfar)})) and ${isAfar}`
    const anyLeft = async () =>
      (await client.query(`select from ${table} where ${isAfar} limit 1`, [merchantId])).rows.length > 0
    // A callback can change a job meanwhile, which moves its row to another page.
    while (await anyLeft()) await inSteps(client, table, change, merchantId)
  }
}

/** OFFSET 0 leaves the planner only the pages to find the rows by, and not the merchant, for whom it would read every job. */
const rowsOfStep = (table: string, where: string) => `
  select ctid from (
    select ctid, merchant_id, due_at from ${table} where ctid >= $2::tid and ctid < $3::tid offset 0) t where ${where}`

async function inSteps(
  client: Cell['client'],
  table: string,
  change: string,
  merchantId: string,
): Promise<void> {
  const { rows } = await client.query<{ pages: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::integer)::integer as pages`,
    [table],
  )
  const pages = rows[0]?.pages ?? 0
  for (let page = 0; page < pages; page += STEP_PAGES)
    await client.query(change, [merchantId, `(${page},0)`, `(${page + STEP_PAGES},0)`])
}
