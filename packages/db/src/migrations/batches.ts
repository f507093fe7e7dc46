import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { monotonicMs } from '../clock.ts'
import { type LockRetries, retryLocks } from './lock-retries.ts'
import { type MigrationText, statementsOf } from './statements.ts'

/** Between two batches it rests as long as the batch took, within these bounds. */
const PAUSE_MIN_MS = 10
const PAUSE_MAX_MS = 1_000
/** A statement that always changes rows would never end. */
const BATCHES_MAX = 10_000_000
const REPORT_EVERY = 100

/**
 * Runs one statement again and again, each time in a transaction of its own, until it changes no row. It can
 * be interrupted at any time and run again.
 */
export async function runBatches(
  client: pg.Client,
  migration: MigrationText,
  retries: LockRetries,
): Promise<void> {
  const statement = readBatch(migration)
  let rows = 0
  for (let batch = 1; batch <= BATCHES_MAX; batch += 1) {
    const startedMs = monotonicMs()
    const changed = await retryLocks(retries, migration.name, async (timeoutMs) => {
      await client.query(`set lock_timeout = ${timeoutMs}`)
      return (await client.query(statement)).rowCount ?? 0
    })
    if (changed === 0) return
    rows += changed
    if (batch % REPORT_EVERY === 0) retries.report(`${migration.name}: ${rows} rows`)
    await delay(Math.min(Math.max(monotonicMs() - startedMs, PAUSE_MIN_MS), PAUSE_MAX_MS))
  }
  throw new Error(`${migration.name} still changes rows after ${BATCHES_MAX} batches`)
}

/** @throws if the file is not one statement that bounds its rows */
export function readBatch(migration: MigrationText): string {
  const statements = statementsOf(migration)
  const [statement] = statements
  if (statements.length !== 1 || statement === undefined || !/\blimit \d+\b/i.test(statement))
    throw new Error(
      `${migration.name} must be one statement with a limit, which changes no row when it is done`,
    )
  if (/\bskip locked\b/i.test(statement))
    throw new Error(`${migration.name} must not skip locked rows: it would end before they are changed`)
  return statement
}
