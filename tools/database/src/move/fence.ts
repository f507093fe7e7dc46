import { retryLocks } from '@merchant-payments/db'
import type { Cell } from './cell.ts'
import { movedTables } from './tables.ts'

/** PostgreSQL runs the triggers of a row in the order of their names, and the fence comes first. */
const FENCE = 'a_merchant_move'

type Report = (line: string) => void

async function findFenced({ client }: Cell): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select c.relname as table from pg_trigger g join pg_class c on c.oid = g.tgrelid
      where g.tgname = $1 and c.relname = any ($2::text[]) and c.relnamespace = current_schema()::regnamespace`,
    [FENCE, movedTables],
  )
  return rows.map(({ table }) => table)
}

/**
 * Creates the trigger of each table, after the move has begun. Each creation waits until every transaction that has
 * written into the table is over. So all later writes meet the trigger, and lock the row of the move.
 */
export async function raiseFence(cell: Cell, report: Report): Promise<void> {
  for (const table of movedTables) {
    // It replaces the trigger of another merchant's move, whose end may be about to drop it.
    const creation = `create or replace trigger ${FENCE} before insert or update or delete on ${table}
      for each row execute function refuse_while_moving()`
    await change(cell, report, table, () => cell.client.query(creation))
  }
}

/** Waits until nothing holds up the fence for long, such as a VACUUM or an index that is built. Changes nothing. */
export async function awaitWayForFence(cell: Cell, report: Report): Promise<void> {
  for (const table of movedTables) {
    const lock = `lock table ${table} in share row exclusive mode`
    await change(cell, report, table, () => cell.client.query(lock))
  }
}

/** Removes the triggers once no merchant of the cell moves. */
export async function lowerFence(cell: Cell, report: Report): Promise<void> {
  const { client } = cell
  for (const table of await findFenced(cell)) {
    await change(cell, report, table, async () => {
      // No move begins before the commit.
      await client.query('lock table merchant_moves in share mode')
      const { rows } = await client.query('select from merchant_moves limit 1')
      if (rows.length === 0) await client.query(`drop trigger if exists ${FENCE} on ${table}`)
    })
  }
}

/** Gives way to other transactions, as a migration does. */
async function change(
  { client, name }: Cell,
  report: Report,
  table: string,
  make: () => Promise<unknown>,
): Promise<void> {
  await retryLocks({ triesMax: undefined, report }, `${name}: the fence of ${table}`, async (timeoutMs) => {
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = ${timeoutMs}`)
      await make()
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      throw error
    }
  })
}
