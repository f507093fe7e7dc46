import { randomBytes } from 'node:crypto'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { Event, UnknownEvent } from '@merchant-payments/node-sdk'
import { signPayload } from '@merchant-payments/webhook-verifier/testing'
import { exitCodes, Failure } from './failure.ts'

/** Spec 6.3.7: the service waits no longer for an endpoint. */
const TIMEOUT_MS = 10_000
const SECRET_BYTES = 32

export interface Answer {
  /** Null if none came in time. */
  readonly status: number | null
  readonly durationMs: number
}

export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`

/** The secrets of a variable: two during a rotation, separated by a comma. */
export const secretsOf = (text: string | undefined): readonly string[] =>
  (text ?? '').split(',').filter((secret) => secret !== '')

export const isAccepted = ({ status }: Answer): boolean => status !== null && status >= 200 && status < 300

interface Target {
  readonly url: string
  readonly secrets: readonly string[]
  readonly signal?: AbortSignal
}

/**
 * Posts an event as the service does (spec 6.3.2 to 6.3.4), with a signature for each secret.
 *
 * @throws {Failure} for a server with which no connection can be made, however often it is tried
 */
export async function deliver(event: Event | UnknownEvent, target: Target): Promise<Answer> {
  const { url, secrets, signal } = target
  const body = JSON.stringify(event)
  const signature = await signPayload({ payload: body, secrets })
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const startedMs = performance.now()
  const status = await post(url, {
    headers: {
      'content-type': 'application/json',
      'service-signature': signature,
      'compat-signature': signature,
      'service-event-id': event.id,
    },
    body,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((error: unknown) => {
    const reason = lastingFault(error)
    if (reason === null) return null
    throw new Failure(`nothing can be posted to ${url}: ${reason}`, exitCodes.usage, [
      'https needs a server that speaks it, and a certificate that Node trusts: NODE_EXTRA_CA_CERTS names more',
    ])
  })
  return { status, durationMs: Math.round(performance.now() - startedMs) }
}

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** Returns the status. In place of `fetch`, which connects to no port such as 6000 or 10080, where a server may well be. */
async function post(url: string, { headers, body, signal }: Post): Promise<number> {
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A connection that the server has closed meanwhile would look like a server that is away.
    request(url, { method: 'POST', headers, signal, agent: false }, resolve).on('error', reject).end(body)
  })
  response.destroy()
  return response.statusCode ?? 0
}

/** Codes of a handshake that fails each time: no TLS there, or a certificate that is not trusted. */
const HANDSHAKE = /^(?:EPROTO|ERR_SSL_|ERR_TLS_|UNABLE_|CERT_|DEPTH_|SELF_|HOSTNAME_|INVALID_)/

/** Null for a failure of the network, which a later attempt may not meet. */
function lastingFault(error: unknown): string | null {
  if (error instanceof TypeError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return HANDSHAKE.test(code) ? code : null
}

export const answerWords = ({ status, durationMs }: Answer): string =>
  status === null ? 'no answer' : `${status} in ${durationMs} ms`
