import { connectTo } from '@merchant-payments/db'
import type pg from 'pg'

/** The advisory lock of a move. Any constant works if every run uses the same one. */
const MOVE_LOCK = 7_239_115
/** A digest reads all rows of a table. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000
const LOCK_TIMEOUT_MS = 10_000
/** How soon PostgreSQL ends a statement whose run is gone. */
const CONNECTION_CHECK_MS = 1_000

/** One side of a move: a cell by its name in the maps, and a connection of its owner. */
export interface Cell {
  readonly name: string
  readonly client: pg.Client
}

export interface Cells {
  readonly from: Cell
  readonly to: Cell
}

/** A command cannot run in the present state. The message says what to do. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/**
 * Connects as the owner of the tables. The session's lock keeps two runs of the same merchant apart, so it needs a direct
 * connection, not one of a pooler in transaction mode.
 */
export async function openCell(name: string, url: string, merchantId: string): Promise<Cell> {
  const client = await connectTo(url, { application_name: 'merchant-payments-move' })
  try {
    await client.query(`set role merchant_payments_owner; set timezone = 'UTC';
      set statement_timeout = ${STATEMENT_TIMEOUT_MS}; set transaction_timeout = 0; set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    // Else a statement whose run was stopped would hold the lock to its end, and nobody could abandon the move.
    await client.query(`set client_connection_check_interval = ${CONNECTION_CHECK_MS}`)
    // A page is read along its key. For a merchant that no statistics know, a plan would scan the table or sort all its rows.
    await client.query('set enable_sort = off; set enable_seqscan = off')
    // PostgreSQL's check of a foreign key, planned for such a merchant, would read all of its rows for each one.
    await client.query('set plan_cache_mode = force_generic_plan')
    // The fence lets the tool's own writes pass.
    await client.query(`select set_config('merchant_payments.move', $1, false)`, [merchantId])
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as taken',
      [MOVE_LOCK, merchantId],
    )
    if (rows[0]?.taken !== true) throw new MoveRefused(`${name}: another run moves ${merchantId}`)
    return { name, client }
  } catch (error) {
    await client.end()
    throw error
  }
}

export async function inTransaction<T>({ client }: Cell, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    // The first error counts, also if the connection is gone.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
