import { errorKinds, Refusal } from '@merchant-payments/contract'
import { isDatabaseAway } from '@merchant-payments/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '@merchant-payments/core'

export interface ErrorHeaders {
  /** `compat.should_retry_header`: a second name under which compat-should-retry is sent. */
  readonly shouldRetryAlias: string | null
}

const json = 'application/json; charset=utf-8'

/** Sends a command's answer, either a success or a replayed refusal. */
export function sendAnswer(reply: FastifyReply, headers: ErrorHeaders, answer: Answer): FastifyReply {
  if (answer.replayed) reply.header('idempotent-replayed', 'true')
  if (answer.shouldRetry !== null) setRetryHeaders(reply, headers, answer.shouldRetry)
  return reply.code(answer.status).header('content-type', json).send(answer.body)
}

export const sendJson = (reply: FastifyReply, status: number, body: string | Buffer): FastifyReply =>
  reply.code(status).header('content-type', json).send(body)

/** Sends the error envelope. The refusal's classification gives status, type and code (spec 7.1). */
export function sendRefusal(reply: FastifyReply, headers: ErrorHeaders, refusal: Refusal): FastifyReply {
  setRetryHeaders(reply, headers, refusal.kind.shouldRetry)
  return sendJson(reply, refusal.kind.status, JSON.stringify(refusal.toEnvelope()))
}

/** Sets the retry headers of spec 7.2, which every error has. */
export function setRetryHeaders(
  reply: FastifyReply,
  { shouldRetryAlias }: ErrorHeaders,
  shouldRetry: boolean,
): void {
  reply.header('compat-should-retry', String(shouldRetry))
  if (shouldRetryAlias !== null) reply.header(shouldRetryAlias, String(shouldRetry))
}

/** Sends a 405 with an empty body (spec 7.1). */
export const sendMethodNotAllowed = (reply: FastifyReply, allow: string): FastifyReply =>
  reply.code(405).header('allow', allow).send()

/** Sends a 413 with an empty body (spec 7.1) and closes the connection, because the rest of the body stays unread. */
export const sendTooLarge = (reply: FastifyReply): FastifyReply =>
  reply.code(413).header('connection', 'close').send()

export const isTooLarge = (error: unknown): boolean => codeOf(error) === 'FST_ERR_CTP_BODY_TOO_LARGE'

/** Sends a 412 with an empty body, as a 405. Only the built pages have preconditions. */
export const sendUnmetPrecondition = (reply: FastifyReply): FastifyReply => reply.code(412).send()

/** Keeps a Refusal. Errors of the framework become 400, an unavailable database 503, anything else 500. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isCutBody(error)) return cutBody(error)
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

/** Answers a request with an error. */
export type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
) => FastifyReply | Promise<FastifyReply>

/** Answers with the refusal that `render` makes of the error, and records it for the log line. */
export const refusing =
  (render: (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply): Refuse =>
  (request, reply, error) => {
    const refusal = refusalOf(error)
    noteRefusal(request, refusal)
    return render(request, reply, refusal)
  }

export const unknownRoute = () => new Refusal('unknown_route', 'No such route.')

export const cutBody = (cause: unknown) =>
  new Refusal('invalid_request', 'The connection ended before the whole body arrived.', { cause })

/** The error of node's stream. The framework, which was reading the body, has given it a status. */
const isCutBody = (error: unknown): boolean =>
  codeOf(error) === 'ECONNRESET' &&
  error instanceof Error &&
  'statusCode' in error &&
  error.statusCode === 400

const isFrameworkComplaint = (error: unknown): boolean =>
  codeOf(error)?.startsWith('FST_ERR_') === true &&
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode < 500

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The bytes of a 400 for input that node's parser refused, for which there is no request object. */
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

/** Carries the code of the sent error to the log line. */
export const refusedWith = Symbol('refusedWith')

declare module 'fastify' {
  interface FastifyRequest {
    [refusedWith]?: Refusal
  }
}

export const noteRefusal = (request: FastifyRequest, refusal: Refusal): void => {
  request[refusedWith] = refusal
}
