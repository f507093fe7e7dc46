import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway, isMisconfigured } from './away.ts'
import { monotonicMs } from './clock.ts'
import { readCommitWaitMs } from './commit-wait.ts'
import type { Reader } from './database.ts'
import type { Encoding } from './encoding.ts'
import { isSchemaCurrent } from './migrations/state.ts'
import { PostgresTooOldError, refusesSettings, requirePostgres } from './postgres-version.ts'
import { requireWritable } from './writable.ts'

/** docs/operations.md, processes: a start waits this long for a database that is away. Then the process ends. */
const WAIT_MAX_MS = 5 * 60_000
const RETRY_MIN_MS = 500
const RETRY_MAX_MS = 5_000
/** docs/operations.md, "Standby is away": a commit takes milliseconds. After this time no standby follows. */
const COMMIT_WAIT_MAX_MS = 5_000

export interface WaitOptions {
  /** Called before each further attempt. */
  readonly onAway: (error: unknown) => void
  /** Tests shorten it. */
  readonly waitMaxMs?: number
}

/**
 * Waits until the database takes writes, so that a process may start before its database, or during a failover.
 *
 * @throws the error of the last attempt after five minutes, and at once an error that waiting cannot mend, such as
 *   {@link PostgresTooOldError}
 * @returns how the database stores text, which the same query reads
 */
export async function untilWritable(
  reader: Reader,
  { onAway, waitMaxMs = WAIT_MAX_MS }: WaitOptions,
): Promise<Encoding> {
  const untilMs = monotonicMs() + waitMaxMs
  for (let retryMs = RETRY_MIN_MS; ; retryMs = Math.min(2 * retryMs, RETRY_MAX_MS)) {
    try {
      const encoding = await requirePostgres(reader)
      await requireWritable(reader)
      return encoding
    } catch (error) {
      if (refusesSettings(error)) throw new PostgresTooOldError()
      const helps = isDatabaseAway(error) && !isMisconfigured(error)
      if (!helps || monotonicMs() + retryMs > untilMs) throw error
      onAway(error)
    }
    await delay(retryMs)
  }
}

/**
 * Whether the server takes writes and has every migration that this code needs. It may have more. A server whose commits
 * wait for a standby that is away takes none.
 */
export async function isReady(reader: Reader): Promise<boolean> {
  const [, isCurrent, commitWaitMs] = await Promise.all([
    requireWritable(reader),
    isSchemaCurrent(reader),
    readCommitWaitMs(reader),
  ])
  return isCurrent && commitWaitMs <= COMMIT_WAIT_MAX_MS
}
