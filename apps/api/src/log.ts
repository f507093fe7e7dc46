import type { Alert } from '@merchant-payments/core'
import { pino } from 'pino'

export type Log = ReturnType<typeof createLog>

/**
 * Structured lines on stdout. Nothing is ever logged whole: a line is made of named facts, so a header, a body or a
 * number has no way in; the redaction below is the second lock.
 */
export const createLog = (app: 'api' | 'worker', level: string) =>
  pino({
    level,
    base: { app },
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: ['*.authorization', '*.client_secret', '*.msisdn', 'headers', 'body'], remove: true },
  })

/** One line for each alert, by its stable name. */
export const alertOf =
  (log: Log): Alert =>
  (name, facts) =>
    log.error({ alert: name, ...facts }, name)
