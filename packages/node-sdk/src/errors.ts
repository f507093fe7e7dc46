import { bareCause } from './bare-cause.ts'
import { isPaymentsError, PaymentsError, type PaymentsErrorDetails } from './payments-error.ts'

/**
 * 401: the service refused the token, and also the new token of a second attempt.
 *
 * @example `if (error instanceof AuthenticationError) alert('is this client disabled?')`
 */
export class AuthenticationError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'AuthenticationError'
}

/**
 * 403: the token lacks the scope for this method.
 *
 * @example `if (error instanceof PermissionError) alert('ask for the scope payments:write')`
 */
export class PermissionError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'PermissionError'
}

/**
 * 404: the merchant has no object with this id (`resource_missing`), or the path does not exist (`unknown_route`).
 *
 * @example `if (error instanceof NotFoundError && error.code === 'resource_missing') return undefined`
 */
export class NotFoundError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'NotFoundError'
}

/**
 * 400: a parameter is missing or wrong; `param` names it.
 *
 * @example `if (error instanceof InvalidRequestError) form.mark(error.param, error.message)`
 */
export class InvalidRequestError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'InvalidRequestError'
}

/**
 * 400: the idempotency key was used for another request, or its first request is still running after all retries.
 *
 * @example `if (error instanceof IdempotencyError) console.error(error.code, error.idempotencyKey)`
 */
export class IdempotencyError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'IdempotencyError'
}

/**
 * 409: the object's state forbids the call, for example a confirm while a charge is open. Read the object.
 *
 * @example `if (error instanceof ConflictError) intent = await payments.paymentIntents.retrieve(id)`
 */
export class ConflictError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'ConflictError'
}

/**
 * 502: the rail could not be reached, and the outcome is unknown. Call again with `idempotencyKey`.
 *
 * @example `if (error instanceof ProviderUnavailableError) retryLater(id, error.idempotencyKey)`
 */
export class ProviderUnavailableError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'ProviderUnavailableError'
}

/**
 * 501: the rail does not support this operation.
 *
 * @example `if (error instanceof NotSupportedError) offerAnotherRail()`
 */
export class NotSupportedError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'NotSupportedError'
}

/**
 * 429: an ingress in front of the service limits the rate. The service itself has no limit (spec 7.2). This attempt did not
 * reach it, but an earlier one of the call may have made the payment: call again with `idempotencyKey` after `retryAfterMs`.
 *
 * @example `if (error instanceof RateLimitError) retryLater(id, error.idempotencyKey, error.retryAfterMs)`
 */
export class RateLimitError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'RateLimitError'
}

/**
 * Any other error of the service, such as a 500 or a 503.
 *
 * @example `if (error instanceof ApiError) console.error('service fault', error.requestId)`
 */
export class ApiError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'ApiError'
}

/**
 * The connection failed before the complete answer arrived. The call may have had its effect: call again with `idempotencyKey`.
 *
 * @example `if (error instanceof ConnectionError) console.error(error.cause)`
 */
export class ConnectionError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'ConnectionError'
}

/**
 * The transport failed with an error of the language, such as a TypeError, or `clock` threw. That is a bug in the transport
 * or its options, and the client does not retry it. The call may have had its effect: call again with `idempotencyKey`.
 *
 * @example `if (error instanceof TransportError) console.error(error.cause)`
 */
export class TransportError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'TransportError'
}

/**
 * No complete answer within `timeoutMs`, or a 408 of an ingress. The call may have had its effect: call again with
 * `idempotencyKey`.
 *
 * @example `if (error instanceof TimeoutError) retryLater(id, error.idempotencyKey)`
 */
export class TimeoutError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'TimeoutError'
}

/**
 * The caller's signal aborted; `cause` is its reason. The call may have had its effect.
 *
 * @example `if (error instanceof AbortError) return`
 */
export class AbortError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'AbortError'
}

/**
 * The answer has no error envelope or no JSON: a 405 or 413 (spec 7.1), a redirect, a proxy's page, or a body above the size
 * limit. After a 2xx that was cut off, `shouldRetry` is true: the call may have had its effect.
 *
 * @example `if (error instanceof DecodeError) console.error(error.status, error.requestId)`
 */
export class DecodeError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'DecodeError'
}

/**
 * A copy of an error for one of the calls that it fails, with that call's idempotency key. Calls share one token request,
 * and each must be continued with its own key. Any other error becomes the cause of a {@link TransportError}.
 */
export function withKey(error: unknown, idempotencyKey: string | undefined): PaymentsError {
  if (!isPaymentsError(error)) {
    const message = 'The transport or the clock failed: see cause.'
    const cause = bareCause(error)
    return new TransportError(message, { type: 'transport_error', idempotencyKey, cause })
  }
  if (idempotencyKey === undefined || error.idempotencyKey === idempotencyKey) return error
  const ErrorClass = error.constructor as new (
    message: string,
    details: PaymentsErrorDetails,
  ) => PaymentsError
  const details: PaymentsErrorDetails = Object.fromEntries(Object.entries(error)) as never
  return new ErrorClass(error.message, { ...details, cause: error.cause, idempotencyKey })
}

/** Details of an {@link OAuthError} in addition to those of every error. */
export interface OAuthErrorDetails extends PaymentsErrorDetails {
  /** What to check, for `invalid_client`; otherwise empty. */
  readonly hints: readonly string[]
  /** How far this machine's clock is ahead of the service's; negative when it is behind. */
  readonly clockSkewSec: number | undefined
}

/**
 * The token endpoint refused, or the assertion could not be signed. `code` is the OAuth error; for `invalid_client`,
 * `hints` lists what to check, because the service does not say which check failed (spec 5.7).
 *
 * @example
 * ```ts
 * if (error instanceof OAuthError) for (const hint of error.hints) console.error('-', hint)
 * ```
 */
export class OAuthError extends PaymentsError {
  /** The name of the class, also in minified code. */
  override readonly name = 'OAuthError'
  /** Possible causes of an `invalid_client`; empty for other errors. */
  readonly hints: readonly string[]
  /** Seconds by which this machine's clock is ahead of the service's; negative if it is behind. */
  readonly clockSkewSec: number | undefined

  constructor(message: string, details: OAuthErrorDetails) {
    super(message, details)
    this.hints = details.hints
    this.clockSkewSec = details.clockSkewSec
  }
}
