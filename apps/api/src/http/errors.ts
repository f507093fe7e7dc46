import { errorKinds, Refusal } from '@merchant-payments/contract'
import { isDatabaseAway } from '@merchant-payments/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '@merchant-payments/core'

export interface ErrorHeaders {
  /** `compat.should_retry_header`: repeats compat-should-retry for clients that read a name of their own. */
  readonly shouldRetryAlias: string | null
}

const json = 'application/json; charset=utf-8'

/** Sends what a command answered, be it a success or a replayed refusal. */
export function sendAnswer(reply: FastifyReply, headers: ErrorHeaders, answer: Answer): FastifyReply {
  if (answer.replayed) reply.header('idempotent-replayed', 'true')
  if (answer.shouldRetry !== null) setRetryHeaders(reply, headers, answer.shouldRetry)
  return reply.code(answer.status).header('content-type', json).send(answer.body)
}

export const sendJson = (reply: FastifyReply, status: number, body: string): FastifyReply =>
  reply.code(status).header('content-type', json).send(body)

/** Spec 7.1: one envelope, and status, type and code from one classification. */
export function sendRefusal(reply: FastifyReply, headers: ErrorHeaders, refusal: Refusal): FastifyReply {
  setRetryHeaders(reply, headers, refusal.kind.shouldRetry)
  return sendJson(reply, refusal.kind.status, JSON.stringify(refusal.toEnvelope()))
}

/** Spec 7.2: on every error, whatever its body. */
export function setRetryHeaders(
  reply: FastifyReply,
  { shouldRetryAlias }: ErrorHeaders,
  shouldRetry: boolean,
): void {
  reply.header('compat-should-retry', String(shouldRetry))
  if (shouldRetryAlias !== null) reply.header(shouldRetryAlias, String(shouldRetry))
}

/** Spec 7.1: produced below the renderer, with an empty body. */
export const sendMethodNotAllowed = (reply: FastifyReply, allow: string): FastifyReply =>
  reply.code(405).header('allow', allow).send()

/** As above. The rest of the body is not read, so the connection cannot be used again. */
export const sendTooLarge = (reply: FastifyReply): FastifyReply =>
  reply.code(413).header('connection', 'close').send()

export const isTooLarge = (error: unknown): boolean => codeOf(error) === 'FST_ERR_CTP_BODY_TOO_LARGE'

export const isUnreadableType = (error: unknown): boolean =>
  codeOf(error) === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'

/** A refusal as it is; what the framework found wrong with the request as a 400; a database that is away as a 503; else a bug. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isFrameworkComplaint(error)) {
    return new Refusal('invalid_request', 'The request is malformed.', { cause: error })
  }
  if (isDatabaseAway(error)) {
    return new Refusal('service_unavailable', 'The service cannot take the request now. Send it again.', {
      cause: error,
    })
  }
  return new Refusal('internal_error', 'An unexpected error occurred. Quote the request-id if it persists.', {
    cause: error,
  })
}

/** Answers a request with what went wrong. */
export type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
) => FastifyReply | Promise<FastifyReply>

/** Refuses with what `render` makes of the error, which the log line then has too. */
export const refusing =
  (render: (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply): Refuse =>
  (request, reply, error) => {
    const refusal = refusalOf(error)
    noteRefusal(request, refusal)
    return render(request, reply, refusal)
  }

export const unknownRoute = () => new Refusal('unknown_route', 'No such route.')

const isFrameworkComplaint = (error: unknown): boolean =>
  codeOf(error)?.startsWith('FST_ERR_') === true &&
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode < 500

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The bytes of a 400 that node's parser refused before there was a request to answer. */
export function rawBadRequest(requestId: string, { shouldRetryAlias }: ErrorHeaders): string {
  const refusal = new Refusal('invalid_request', 'The request is not well-formed HTTP.')
  const body = JSON.stringify(refusal.toEnvelope())
  const retry = String(errorKinds.invalid_request.shouldRetry)
  return [
    'HTTP/1.1 400 Bad Request',
    `content-type: ${json}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `request-id: ${requestId}`,
    `x-request-id: ${requestId}`,
    `compat-should-retry: ${retry}`,
    ...(shouldRetryAlias === null ? [] : [`${shouldRetryAlias}: ${retry}`]),
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

/** The code of a rendered error, for the log line. */
export const refusedWith = Symbol('refusedWith')

declare module 'fastify' {
  interface FastifyRequest {
    [refusedWith]?: Refusal
  }
}

export const noteRefusal = (request: FastifyRequest, refusal: Refusal): void => {
  request[refusedWith] = refusal
}
