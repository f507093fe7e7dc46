import type { Deadline } from './deadline.ts'
import { ConnectionError } from './errors.ts'
import { type Hooks, notify, redact } from './hooks.ts'
import { isPaymentsError } from './payments-error.ts'
import type { Reply } from './reply.ts'
import type { Transport, TransportRequest } from './transport.ts'

/** Well above a page of 100 large objects. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024

export interface Wire {
  readonly transport: Transport
  readonly hooks: Hooks
  readonly clock: () => number
}

export interface Outgoing extends Pick<TransportRequest, 'method' | 'url' | 'headers' | 'body'> {
  readonly attempt: number
}

/** Sends a request and returns its complete answer. Throws an error if there is none. */
export async function exchange(wire: Wire, outgoing: Outgoing, deadline: Deadline): Promise<Reply> {
  const { method, url, headers, body, attempt } = outgoing
  const { signal } = deadline
  const idempotencyKey = headers['idempotency-key']
  const startedAtMs = wire.clock()
  notify(wire.hooks.onRequest, () => ({ method, url, headers: redact(headers), attempt }))

  const request = { method, url, headers, body, signal, maxResponseBytes: MAX_RESPONSE_BYTES }
  const response = await deadline
    .race(() => wire.transport(request))
    .catch((cause: unknown) => {
      throw isPaymentsError(cause) ? cause : connectionErrorOf(cause, idempotencyKey)
    })

  notify(wire.hooks.onResponse, () => ({
    method,
    url,
    attempt,
    status: response.status,
    headers: response.headers,
    requestId: response.headers['request-id'],
    durationMs: wire.clock() - startedAtMs,
  }))
  return { status: response.status, headers: response.headers, body: response.body, idempotencyKey }
}

function connectionErrorOf(cause: unknown, idempotencyKey: string | undefined): ConnectionError {
  const reason = systemCode(cause) ?? systemCode(cause instanceof Error ? cause.cause : undefined)
  return new ConnectionError(`The connection failed${reason === undefined ? '' : ` (${reason})`}.`, {
    type: 'connection_error',
    shouldRetry: true,
    idempotencyKey,
    cause,
  })
}

/** A code such as ECONNREFUSED. `fetch` nests it one cause deeper. */
const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
