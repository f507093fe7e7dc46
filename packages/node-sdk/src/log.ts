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
  const log = (of: Exclude<LogLevel, 'off'>, { method, url }: RequestLine, text: string) => {
    if (levels.indexOf(of) > rank) return
    notify<string>(
      (line) => logger[of](line),
      () => `merchant-payments: ${method} ${new URL(url).pathname}${text}`,
    )
  }
  return {
    onRequest: (event) => {
      notify(hooks.onRequest, () => event)
      log('debug', event, `, attempt ${event.attempt}`)
    },
    onResponse: (event) => {
      notify(hooks.onResponse, () => event)
      log('info', event, `: ${event.status} in ${event.durationMs} ms${idOf(event.requestId)}`)
    },
    onRetry: (event) => {
      notify(hooks.onRetry, () => event)
      const { attempt, delayMs, error } = event
      log('warn', event, `: attempt ${attempt} failed with ${reasonOf(error)}; next in ${delayMs} ms`)
    },
    onFailure: (event) => {
      notify(hooks.onFailure, () => event)
      log('error', event, `: ${reasonOf(event.error)}${idOf(event.error.requestId)}`)
    },
  }
}

interface RequestLine {
  readonly method: string
  readonly url: string
}

const reasonOf = ({ name, code }: { name: string; code: string | undefined }): string =>
  code === undefined ? name : `${name} ${code}`

const idOf = (requestId: string | undefined): string => (requestId === undefined ? '' : ` (${requestId})`)
