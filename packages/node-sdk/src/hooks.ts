import type { PaymentsError } from './payments-error.ts'

/**
 * A request before it is sent, also a token request. It has no body.
 *
 * @example
 * ```ts
 * // A query may hold a payer's number.
 * const onRequest = ({ method, url, attempt }: RequestEvent) =>
 *   log.debug({ method, path: new URL(url).pathname, attempt })
 * ```
 */
export interface RequestEvent {
  /** The HTTP method. */
  readonly method: string
  /** The complete address. Its query may hold a payer's number, so log the path alone. */
  readonly url: string
  /** The headers. Values of `authorization` and of the caller's own headers are replaced by `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>
  /** 1 for the first attempt of a call. */
  readonly attempt: number
  /** The idempotency key of the call; undefined for reads and token requests. */
  readonly idempotencyKey: string | undefined
}

/**
 * A received response. It has no body.
 *
 * @example
 * ```ts
 * const onResponse = ({ status, durationMs }: ResponseEvent) => timings.observe({ status }, durationMs)
 * ```
 */
export interface ResponseEvent {
  /** The HTTP method. */
  readonly method: string
  /** The complete address. Its query may hold a payer's number, so log the path alone. */
  readonly url: string
  /** 1 for the first attempt of a call. */
  readonly attempt: number
  /** The idempotency key of the call; undefined for reads and token requests. */
  readonly idempotencyKey: string | undefined
  /** The HTTP status. */
  readonly status: number
  /** The headers without `set-cookie`; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The `request-id` header. Quote it to support. */
  readonly requestId: string | undefined
  /** Time from the request to the complete answer, in milliseconds. */
  readonly durationMs: number
}

/**
 * A failed attempt that the client repeats after `delayMs`.
 *
 * @example
 * ```ts
 * const onRetry = ({ attempt, delayMs, error }: RetryEvent) => log.warn({ attempt, delayMs, code: error.code })
 * ```
 */
export interface RetryEvent {
  /** The HTTP method. */
  readonly method: string
  /** The complete address. Its query may hold a payer's number, so log the path alone. */
  readonly url: string
  /** The attempt that failed. */
  readonly attempt: number
  /** The idempotency key of the call; undefined for reads and token requests. */
  readonly idempotencyKey: string | undefined
  /** Time before the next attempt, in milliseconds. */
  readonly delayMs: number
  /** The reason for the failure. */
  readonly error: PaymentsError
}

/**
 * A call that failed: no attempt follows, and the call throws `error`.
 *
 * @example
 * ```ts
 * // A query may hold a payer's number.
 * const onFailure = ({ url, attempt, error }: FailureEvent) =>
 *   log.error({ path: new URL(url).pathname, attempt, code: error.code })
 * ```
 */
export interface FailureEvent {
  /** The HTTP method. */
  readonly method: string
  /** The complete address. Its query may hold a payer's number, so log the path alone. */
  readonly url: string
  /** The last attempt. */
  readonly attempt: number
  /** The idempotency key of the call; undefined for reads and token requests. */
  readonly idempotencyKey: string | undefined
  /** The error that the call throws. */
  readonly error: PaymentsError
}

/**
 * Observers, for logs and metrics. The client ignores errors of a hook, so that they cannot hide the result of a payment.
 * It does not wait for an async hook, and ignores its rejection too.
 *
 * @example
 * ```ts
 * const hooks: Hooks = {
 *   // A query may hold a payer's number.
 *   onResponse: ({ method, url, status, durationMs, requestId }) =>
 *     log.info({ method, path: new URL(url).pathname, status, durationMs, requestId }),
 *   onRetry: ({ attempt, delayMs, error }) => log.warn({ attempt, delayMs, code: error.code }),
 * }
 * ```
 */
export interface Hooks {
  /** Called before the client sends each request. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called after each complete answer. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called before the client waits for another attempt. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /** Called once for each call that fails, also without an answer. */
  readonly onFailure?: ((event: FailureEvent) => void) | undefined
}

export function notify<E>(hook: ((event: E) => void) | undefined, makeEvent: () => E): void {
  if (hook === undefined) return
  try {
    const returned: unknown = hook(makeEvent())
    // An unhandled rejection of an async hook would end the process.
    if (returned !== undefined) Promise.resolve(returned).catch(() => {})
  } catch {
    // A hook's error must not hide the result of a payment.
  }
}

/** Only these headers are shown, because the caller's own headers may hold secrets. */
const visible = new Set(['accept', 'content-type', 'idempotency-key', 'user-agent'])

export const redact = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, visible.has(name) ? value : '[redacted]']),
  )
