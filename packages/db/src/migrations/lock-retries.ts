import { setTimeout as delay } from 'node:timers/promises'
import { sqlState } from '../database.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * While a step waits for a lock, every request that needs the table waits behind it. So a step waits briefly,
 * gives way for longer and longer, and tries again. The last try has a time-out too.
 */
const TRIES_MAX = 40
const TIMEOUT_STEP_MS = 50
const TIMEOUT_MAX_MS = 1_000
const PAUSE_STEP_MS = 100
const PAUSE_MAX_MS = 5_000

export interface LockRetries {
  /** Default: TRIES_MAX. */
  readonly triesMax: number | undefined
  readonly report: (line: string) => void
}

/** Runs a step until it gets its locks. A step that fails must leave nothing, or be able to run again. */
export async function retryLocks<T>(
  { triesMax = TRIES_MAX, report }: LockRetries,
  name: string,
  run: (lockTimeoutMs: number) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(Math.min(tries * TIMEOUT_STEP_MS, TIMEOUT_MAX_MS))
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
      if (isOfFence(error))
        throw new Error(
          `${name}: ${error.message}. End its move first (merchant:move switch or abandon; forget, if it has left), then run it again`,
          { cause: error },
        )
      if (tries >= triesMax)
        throw new Error(
          `${name} gave way ${tries} times and changed nothing: end the long transactions (select pid, xact_start, query from pg_stat_activity order by xact_start), then run it again`,
          { cause: error },
        )
      report(`${name} gives way to other transactions (${tries} of ${triesMax})`)
      await delay(Math.min(tries * PAUSE_STEP_MS, PAUSE_MAX_MS))
    }
  }
}

/** The fence of a move refuses a row with the code of a lock, and names the row's table, which PostgreSQL does for no lock. */
const isOfFence = (error: unknown): error is Error =>
  error instanceof Error && 'table' in error && error.table !== undefined
