import { pino } from 'pino'
import { createLog, endLog, type Log, neverFlush } from './log.ts'

/** Time for the last line. If the reader of stdout is gone, the process ends without it. */
const LAST_LINE_MS_MAX = 1_000

export interface Crashes {
  /** The log that the crash line goes to, after the lines before it. */
  log: Log | null
}

/**
 * Ends the process on an uncaught error, after a log line. Node's own report shows every property of the error, and
 * those of database and parser errors quote what was sent.
 */
export function logCrashes(app: 'api' | 'worker'): Crashes {
  const crashes: Crashes = { log: null }
  // Node passes unhandled rejections here too, by default.
  process.on('uncaughtException', (error, origin) => {
    setTimeout(() => process.exit(1), LAST_LINE_MS_MAX)
    const log = crashes.log ?? createLog(app, 'fatal', pino.destination({ dest: 1, sync: true }))
    neverFlush(log)
    log.fatal({ err: error, origin }, 'crashed')
    void exitAfter(log)
  })
  return crashes
}

async function exitAfter(log: Log): Promise<void> {
  try {
    await endLog(log)
  } finally {
    process.exit(1)
  }
}
