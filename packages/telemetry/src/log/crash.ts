import { pino } from 'pino'
import { createLog, endLog, type Log, neverFlush } from './log.ts'

/** Time for the last line. If the reader of stdout is gone, the process ends without it. */
const LAST_LINE_MAX_MS = 1_000
const EXIT_CRASHED = 1

/** Why a process does not start, and what to do. */
interface Refusal {
  readonly reason: string
  readonly hint: string
  readonly err: unknown
}

export interface Crashes {
  /** The log that the last line goes to, after the lines before it. */
  log: Log | null
  /** Ends the process with this exit code, after a line that says why it does not start. */
  readonly refuse: (refusal: Refusal, exitCode: number) => Promise<never>
}

/**
 * Ends the process on an uncaught error, after a log line. Node's own report shows every property of the error, and
 * those of database and parser errors quote what was sent.
 */
export function logCrashes(app: 'api' | 'worker'): Crashes {
  const lastLog = (exitCode: number): Log => {
    setTimeout(() => process.exit(exitCode), LAST_LINE_MAX_MS)
    const log = crashes.log ?? createLog(app, 'fatal', pino.destination({ dest: 1, sync: true }))
    neverFlush(log)
    return log
  }
  const crashes: Crashes = {
    log: null,
    refuse: (refusal, exitCode) => {
      const log = lastLog(exitCode)
      log.fatal({ ...refusal }, 'start refused')
      return exitAfter(log, exitCode)
    },
  }
  // Node passes unhandled rejections here too, by default.
  process.on('uncaughtException', (error, origin) => {
    const log = lastLog(EXIT_CRASHED)
    log.fatal({ err: error, origin }, 'crashed')
    void exitAfter(log, EXIT_CRASHED)
  })
  return crashes
}

async function exitAfter(log: Log, exitCode: number): Promise<never> {
  await endLog(log).catch(() => undefined)
  return process.exit(exitCode)
}
