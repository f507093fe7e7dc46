import { PaymentsError, type PaymentsErrorDetails } from './payments-error.ts'

/**
 * 401: the token was refused, and so was the one minted after it.
 *
 * @example `if (error instanceof AuthenticationError) alert('is this client disabled?')`
 */
export class AuthenticationError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'AuthenticationError'
}

/**
 * 403: the token has no scope for this method.
 *
 * @example `if (error instanceof PermissionError) alert('ask for the scope payments:write')`
 */
export class PermissionError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'PermissionError'
}

/**
 * 404: no such id among the merchant's objects (`resource_missing`), or no such path (`unknown_route`).
 *
 * @example `if (error instanceof NotFoundError && error.code === 'resource_missing') return undefined`
 */
export class NotFoundError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'NotFoundError'
}

/**
 * 400: a parameter is missing or wrong; `param` names it.
 *
 * @example `if (error instanceof InvalidRequestError) form.mark(error.param, error.message)`
 */
export class InvalidRequestError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'InvalidRequestError'
}

/**
 * 400: the idempotency key belongs to another request, or its first call is still running after all retries.
 *
 * @example `if (error instanceof IdempotencyError) console.error(error.code, error.idempotencyKey)`
 */
export class IdempotencyError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'IdempotencyError'
}

/**
 * 409: the object's state forbids the call, for example a confirm while a charge is being resolved. Read the object.
 *
 * @example `if (error instanceof ConflictError) intent = await payments.paymentIntents.retrieve(id)`
 */
export class ConflictError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'ConflictError'
}

/**
 * 502: the rail could not be reached. Nothing is known to have moved; call again with `idempotencyKey`.
 *
 * @example `if (error instanceof ProviderUnavailableError) retryLater(id, error.idempotencyKey)`
 */
export class ProviderUnavailableError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'ProviderUnavailableError'
}

/**
 * 501: the rail does not have this operation.
 *
 * @example `if (error instanceof NotSupportedError) offerAnotherRail()`
 */
export class NotSupportedError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'NotSupportedError'
}

/**
 * Any other error that the service rendered, such as a 500 or a 503.
 *
 * @example `if (error instanceof ApiError) console.error('service fault', error.requestId)`
 */
export class ApiError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'ApiError'
}

/**
 * No answer, or only part of one. The call may or may not have happened: call again with `idempotencyKey`.
 *
 * @example `if (error instanceof ConnectionError) console.error(error.cause)`
 */
export class ConnectionError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'ConnectionError'
}

/**
 * No whole answer within `timeoutMs`. The call may or may not have happened: call again with `idempotencyKey`.
 *
 * @example `if (error instanceof TimeoutError) retryLater(id, error.idempotencyKey)`
 */
export class TimeoutError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'TimeoutError'
}

/**
 * The caller's signal was aborted; `cause` is its reason. The call may or may not have happened.
 *
 * @example `if (error instanceof AbortError) return`
 */
export class AbortError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'AbortError'
}

/**
 * The answer is not what the API renders: a 405 or 413 (spec 7.1), a redirect, a proxy's page, or a body beyond the size cap.
 *
 * @example `if (error instanceof DecodeError) console.error(error.status, error.requestId)`
 */
export class DecodeError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'DecodeError'
}

/** What an {@link OAuthError} knows besides the details of every error. */
export interface OAuthErrorDetails extends PaymentsErrorDetails {
  /** What to check, for `invalid_client`; otherwise empty. */
  readonly hints: readonly string[]
  /** How far this machine's clock is ahead of the service's; negative when it is behind. */
  readonly clockSkewSec: number | undefined
}

/**
 * The token endpoint refused. `code` is the OAuth error; for `invalid_client`, `hints` lists what to check, because the
 * service does not say which check failed (spec 5.7).
 *
 * @example
 * ```ts
 * if (error instanceof OAuthError) for (const hint of error.hints) console.error('-', hint)
 * ```
 */
export class OAuthError extends PaymentsError {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'OAuthError'
  /** What to check, for `invalid_client`; otherwise empty. */
  readonly hints: readonly string[]
  /** How far this machine's clock is ahead of the service's; negative when it is behind. */
  readonly clockSkewSec: number | undefined

  constructor(message: string, details: OAuthErrorDetails) {
    super(message, details)
    this.hints = details.hints
    this.clockSkewSec = details.clockSkewSec
  }
}
