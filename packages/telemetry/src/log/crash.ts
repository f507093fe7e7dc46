import { pino } from 'pino'
import { createLog, endLog, type Log, neverFlush } from './log.ts'

/** A reader of stdout that is gone must not keep a process that is broken. */
const LAST_LINE_MS_MAX = 1_000

export interface Crashes {
  /** The log whose lines come before that of a crash. */
  log: Log | null
}

/**
 * Ends the process for what nobody caught, after a line in the form of all others: Node's own print shows every property
 * of an error, and those of the database and of parsers quote what was sent.
 */
export function logCrashes(app: 'api' | 'worker'): Crashes {
  const crashes: Crashes = { log: null }
  // Also for rejections, which Node hands over here by default.
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
