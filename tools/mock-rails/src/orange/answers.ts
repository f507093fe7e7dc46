import type { Answer } from '../wire/answer.ts'

/** The error codes that Orange's APIs share, with their HTTP statuses. */
const ERRORS = {
  INVALID_BODY: [400, 22, 'Invalid body', 'The posted body is not well-formed and thus can not be parsed.'],
  MISSING_FIELD: [400, 23, 'Missing body field', 'Some required body fields are missing.'],
  INVALID_FIELD: [400, 24, 'Invalid body field', 'Some body fields contain invalid values.'],
  INVALID_HEADER: [400, 26, 'Invalid header value', 'One or more headers contain invalid values.'],
  NO_CREDENTIALS: [
    401,
    40,
    'Missing credentials',
    'The requested service needs credentials, but none were provided.',
  ],
  WRONG_CREDENTIALS: [
    401,
    41,
    'Invalid credentials',
    'The requested service needs credentials, but the ones provided were invalid.',
  ],
  OLD_CREDENTIALS: [
    401,
    42,
    'Expired credentials',
    'The requested service needs credentials, and the ones provided were out-of-date.',
  ],
  DENIED: [
    403,
    50,
    'Access denied',
    'The application that makes the request is not authorized to access this endpoint.',
  ],
  NOT_FOUND: [404, 60, 'Resource not found', 'The requested URI or the requested resource does not exist.'],
  TOO_MANY_REQUESTS: [
    429,
    53,
    'Too many requests',
    'The application has made too many calls and has exceeded the rate limit for this service.',
  ],
  INTERNAL: [500, 1, 'Internal error', 'An internal error occurred.'],
} as const

export type OrangeError = keyof typeof ERRORS

/** `why` goes to the call log. The answer keeps its default description. */
export function orangeError(error: OrangeError, why?: string): Answer {
  const [, , , description] = ERRORS[error]
  return describedError(error, description, why ?? error)
}

export function describedError(error: OrangeError, description: string, why = description): Answer {
  const [status, code, message] = ERRORS[error]
  return { status, body: { code, message, description }, why }
}

/** The token endpoint uses OAuth's errors, not the envelope of the other operations. */
export function tokenError(status: 400 | 401, error: string, description: string): Answer {
  return { status, body: { error, error_description: description }, why: description }
}
