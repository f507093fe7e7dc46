import type { PaymentsError } from './payments-error.ts'

/**
 * A request about to be sent, token requests included. Never its body.
 *
 * @example
 * ```ts
 * const onRequest = ({ method, url, attempt }: RequestEvent) => log.debug({ method, url, attempt })
 * ```
 */
export interface RequestEvent {
  /** The HTTP method. */
  readonly method: string
  /** The whole address, its query included. */
  readonly url: string
  /** Values of `authorization` and of the caller's own headers are replaced by `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>
  /** 1 for the first try of a call. */
  readonly attempt: number
}

/**
 * A response as it came. Never its body.
 *
 * @example
 * ```ts
 * const onResponse = ({ status, durationMs }: ResponseEvent) => timings.observe({ status }, durationMs)
 * ```
 */
export interface ResponseEvent {
  /** The HTTP method. */
  readonly method: string
  /** The whole address, its query included. */
  readonly url: string
  /** 1 for the first try of a call. */
  readonly attempt: number
  /** The HTTP status. */
  readonly status: number
  /** Names in lower case; `set-cookie` is left out. */
  readonly headers: Readonly<Record<string, string>>
  /** The `request-id` header. Quote it to support. */
  readonly requestId: string | undefined
  /** From the request to the whole answer, in milliseconds. */
  readonly durationMs: number
}

/**
 * A failed try that will be followed by another after `delayMs`.
 *
 * @example
 * ```ts
 * const onRetry = ({ attempt, delayMs, error }: RetryEvent) => log.warn({ attempt, delayMs, code: error.code })
 * ```
 */
export interface RetryEvent {
  /** The HTTP method. */
  readonly method: string
  /** The whole address, its query included. */
  readonly url: string
  /** The try that failed. */
  readonly attempt: number
  /** How long the client waits before the next try, in milliseconds. */
  readonly delayMs: number
  /** Why the try failed. */
  readonly error: PaymentsError
}

/**
 * Observers, for logs and metrics. What a hook throws is ignored: an observer must not lose the result of a payment.
 *
 * @example
 * ```ts
 * const hooks: Hooks = {
 *   onResponse: ({ method, url, status, durationMs, requestId }) =>
 *     log.info({ method, url, status, durationMs, requestId }),
 *   onRetry: ({ attempt, delayMs, error }) => log.warn({ attempt, delayMs, code: error.code }),
 * }
 * ```
 */
export interface Hooks {
  /** Called before each request is sent. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called after each whole answer. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called before the client waits for another try. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
}

export function notify<E>(hook: ((event: E) => void) | undefined, makeEvent: () => E): void {
  if (hook === undefined) return
  try {
    hook(makeEvent())
  } catch {
    // An observer must not lose the result of a payment.
  }
}

/** A list of what may be seen, because the caller's own headers may be secrets too. */
const visible = new Set(['accept', 'content-type', 'idempotency-key', 'user-agent'])

export const redact = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, visible.has(name) ? value : '[redacted]']),
  )
