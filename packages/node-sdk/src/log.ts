import { type Hooks, notify } from './hooks.ts'

/**
 * How much a client logs. `error`: failed calls. `warn`: attempts that it repeats too. `info`: answers too. `debug`:
 * requests too. No line has a body, a header or a query, which may hold a payer's number.
 *
 * @example
 * ```ts
 * const logLevel: LogLevel = 'warn'
 * ```
 */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug'

/**
 * Receives the log lines of a client. `console` is one, and so is the logger of most libraries.
 *
 * @example
 * ```ts
 * const payments = createMerchantPayments({ baseUrl, clientId, privateKey, logLevel: 'info', logger: pino() })
 * ```
 */
export type Logger = {
  /** Receives the lines of one level. */
  readonly [level in Exclude<LogLevel, 'off'>]: (line: string) => void
}

const levels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug']

/** The hooks of the caller, and those that log. */
export function withLog(hooks: Hooks, level: LogLevel, logger: Logger): Hooks {
  const rank = levels.indexOf(level)
  if (rank === -1) throw new TypeError(`logLevel must be one of ${levels.join(', ')}`)
  if (rank === 0) return hooks
  const log = (of: Exclude<LogLevel, 'off'>, line: string) => {
    if (levels.indexOf(of) <= rank) logger[of](`merchant-payments: ${line}`)
  }
  return {
    onRequest: (event) => {
      notify(hooks.onRequest, () => event)
      log('debug', `${callOf(event)}, attempt ${event.attempt}`)
    },
    onResponse: (event) => {
      notify(hooks.onResponse, () => event)
      log('info', `${callOf(event)}: ${event.status} in ${event.durationMs} ms${idOf(event.requestId)}`)
    },
    onRetry: (event) => {
      notify(hooks.onRetry, () => event)
      const { attempt, delayMs, error } = event
      log(
        'warn',
        `${callOf(event)}: attempt ${attempt} failed with ${reasonOf(error)}; next in ${delayMs} ms`,
      )
    },
    onFailure: (event) => {
      notify(hooks.onFailure, () => event)
      log('error', `${callOf(event)}: ${reasonOf(event.error)}${idOf(event.error.requestId)}`)
    },
  }
}

const callOf = ({ method, url }: { method: string; url: string }): string =>
  `${method} ${new URL(url).pathname}`

const reasonOf = ({ name, code }: { name: string; code: string | undefined }): string =>
  code === undefined ? name : `${name} ${code}`

const idOf = (requestId: string | undefined): string => (requestId === undefined ? '' : ` (${requestId})`)
