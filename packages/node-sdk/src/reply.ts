import {
  ApiError,
  AuthenticationError,
  ConflictError,
  DecodeError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  NotSupportedError,
  PermissionError,
  ProviderUnavailableError,
  RateLimitError,
  TimeoutError,
} from './errors.ts'
import type { PaymentsError, PaymentsErrorDetails, PaymentsErrorType } from './payments-error.ts'
import { isRetryable, retryAfterMsOf } from './retry.ts'
import type { TransportResponse } from './transport.ts'
import type { ApiErrorType } from './wire.ts'

/** A response with the idempotency key of its request. */
export interface Reply extends TransportResponse {
  readonly idempotencyKey: string | undefined
}

export const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300

/** The JSON object in the body; undefined for answers without one (spec 7.1). */
export function jsonObject({ body }: Reply): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Converts a response that is no result to its error: any other than 2xx, or a 2xx without a JSON object. */
export function errorOfReply(reply: Reply): PaymentsError {
  const ingress = ingressAnswers.get(reply.status)
  if (ingress !== undefined) {
    return new ingress.errorClass(ingress.message, { ...detailsOf(reply), type: ingress.type })
  }
  const envelope = jsonObject(reply)?.['error']
  // A 401 keeps its meaning without an envelope. Any other answer without one is not from the API.
  if (!isObject(envelope) && reply.status !== 401) return decodeErrorOf(reply)

  const { type, code, message, param } = isObject(envelope) ? envelope : bareUnauthorized
  const ErrorOfReply = classOf(reply.status, type)
  return new ErrorOfReply(text(message) ?? `The service answered ${reply.status}.`, {
    ...detailsOf(reply, text(code)),
    type: isApiErrorType(type) ? type : 'api_error',
    param: text(param),
  })
}

const bareUnauthorized: Record<string, unknown> = {
  type: 'authentication_error',
  code: 'authentication_error',
  message: 'The access token was refused.',
}

export function decodeErrorOf(reply: Reply, reason: string = reasonOf(reply)): PaymentsError {
  const details = detailsOf(reply)
  return new DecodeError(`The answer (${reply.status}) is not valid: ${reason}.`, {
    ...details,
    type: 'decode_error',
    shouldRetry: details.shouldRetry || isCut(reply),
  })
}

/**
 * A 2xx without a JSON object was cut off, or is a proxy's page. The call may have had its effect, which the same key
 * replays. A body that is too large stays so.
 */
const isCut = (reply: Reply): boolean =>
  isSuccess(reply) &&
  reply.body !== null &&
  jsonObject(reply) === undefined &&
  reply.headers['compat-should-retry'] !== 'false'

export const detailsOf = (reply: Reply, code?: string): Omit<PaymentsErrorDetails, 'type'> => ({
  code,
  status: reply.status,
  requestId: reply.headers['request-id'],
  shouldRetry: isRetryable(reply, code),
  retryAfterMs: retryAfterMsOf(reply),
  headers: reply.headers,
  idempotencyKey: reply.idempotencyKey,
})

function reasonOf({ status, body }: Reply): string {
  if (body === null) return 'its body is too large'
  if (status >= 300 && status < 400) return 'the client follows no redirects; check baseUrl'
  if (status === 405) return 'the path does not allow this method'
  if (status === 413) return 'the request body is too large'
  return "its body is not the API's JSON"
}

type ErrorClass = new (message: string, details: PaymentsErrorDetails) => PaymentsError

const classOfStatus = new Map<number, ErrorClass>([
  [400, InvalidRequestError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [501, NotSupportedError],
  [502, ProviderUnavailableError],
])

interface IngressAnswer {
  readonly errorClass: ErrorClass
  readonly type: PaymentsErrorType
  readonly message: string
}

/** The service never answers with these (spec 7.2), so their body is not the API's. */
const ingressAnswers = new Map<number, IngressAnswer>([
  [
    408,
    {
      errorClass: TimeoutError,
      type: 'timeout_error',
      message: 'An ingress ended the request (408): it took too long.',
    },
  ],
  [
    429,
    {
      errorClass: RateLimitError,
      type: 'rate_limit_error',
      message: 'An ingress limits the rate of requests (429).',
    },
  ],
])

const classOf = (status: number, type: unknown): ErrorClass =>
  type === 'idempotency_error' ? IdempotencyError : (classOfStatus.get(status) ?? ApiError)

const apiErrorTypes: ReadonlySet<unknown> = new Set<ApiErrorType>([
  'authentication_error',
  'invalid_request_error',
  'idempotency_error',
  'api_error',
])

const isApiErrorType = (type: unknown): type is ApiErrorType => apiErrorTypes.has(type)

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
