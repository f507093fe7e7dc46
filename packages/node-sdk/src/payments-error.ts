import type { ApiErrorType, ErrorCode } from './wire.ts'

/**
 * The error types of the service, and one for each failure in the client.
 *
 * @example
 * ```ts
 * const unanswered: readonly PaymentsErrorType[] = ['connection_error', 'timeout_error']
 * ```
 */
export type PaymentsErrorType =
  | ApiErrorType
  | 'connection_error'
  | 'rate_limit_error'
  | 'transport_error'
  | 'timeout_error'
  | 'abort_error'
  | 'oauth_error'
  | 'decode_error'

/** Details of a {@link PaymentsError} besides its message. */
export interface PaymentsErrorDetails {
  /** The family of the error. */
  readonly type: PaymentsErrorType
  /** The service's code, or that of the token endpoint. */
  readonly code?: ErrorCode | (string & {}) | undefined
  /** The HTTP status; absent when no answer came. */
  readonly status?: number | undefined
  /** The parameter at fault, in bracket spelling. */
  readonly param?: string | undefined
  /** The id of the request, to quote to support. */
  readonly requestId?: string | undefined
  /** Whether the same call, with the same idempotency key, may yet succeed. Default: false. */
  readonly shouldRetry?: boolean
  /** The time that the answer's `Retry-After` asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The headers of the response. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** The key of the call. */
  readonly idempotencyKey?: string | undefined
  /** The error below this one. */
  readonly cause?: unknown
}

const brand = Symbol.for('merchant-payments.PaymentsError')

/**
 * The error of a failed call. It never holds a token, a key, an assertion or a body.
 *
 * @example
 * ```ts
 * try {
 *   await payments.paymentIntents.confirm(id, params)
 * } catch (error) {
 *   if (!isPaymentsError(error)) throw error
 *   console.error(error.name, error.code, error.param, error.requestId)
 * }
 * ```
 */
export class PaymentsError extends Error {
  /** The name of the class, also in minified code. */
  override readonly name: string = 'PaymentsError'
  /** The family of the error: one of the service's types, or one of a failure in the client. */
  readonly type: PaymentsErrorType
  /** The code from the service or its token endpoint. A code that is newer than this version arrives as text. */
  readonly code: ErrorCode | (string & {}) | undefined
  /** The HTTP status; undefined if no answer came. */
  readonly status: number | undefined
  /** The faulty parameter, in bracket spelling. */
  readonly param: string | undefined
  /** The `request-id` header. Quote it to support. */
  readonly requestId: string | undefined
  /** Whether a retry with the same idempotency key can succeed. */
  readonly shouldRetry: boolean
  /** The time that the answer's `Retry-After` asks to wait, in milliseconds; undefined without one. */
  readonly retryAfterMs: number | undefined
  /** The headers of the response; empty if no answer came. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The key of the call. Pass it again to continue this operation instead of starting a second one, whatever the error
   * is. Undefined for reads.
   */
  readonly idempotencyKey: string | undefined

  constructor(message: string, details: PaymentsErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    Object.defineProperty(this, brand, { value: true })
    this.type = details.type
    this.code = details.code
    this.status = details.status
    this.param = details.param
    this.requestId = details.requestId
    this.shouldRetry = details.shouldRetry ?? false
    this.retryAfterMs = details.retryAfterMs
    this.headers = details.headers ?? {}
    this.idempotencyKey = details.idempotencyKey
  }
}

/**
 * Like `instanceof PaymentsError`, and also true for errors of another loaded copy of this package.
 *
 * @example
 * ```ts
 * if (isPaymentsError(error) && error.shouldRetry) await queue.add(job, { delay: 60_000 })
 * ```
 */
export const isPaymentsError = (error: unknown): error is PaymentsError =>
  typeof error === 'object' && error !== null && brand in error
