import { bareCause } from './bare-cause.ts'
import type { Deadline } from './deadline.ts'
import { ConnectionError, withKey } from './errors.ts'
import { type Hooks, notify, redact } from './hooks.ts'
import { isPaymentsError, type PaymentsError } from './payments-error.ts'
import type { Reply } from './reply.ts'
import type { Carry, TransportRequest, TransportResponse } from './transport.ts'

/** Well above a page of 100 large objects. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024

export interface Wire {
  readonly carry: Carry
  readonly hooks: Hooks
  readonly clock: () => number
}

export interface Outgoing extends Pick<TransportRequest, 'method' | 'url' | 'headers' | 'body'> {
  readonly attempt: number
}

/** Sends a request and returns its complete answer. Throws an error if there is none. */
export async function exchange(wire: Wire, outgoing: Outgoing, deadline: Deadline): Promise<Reply> {
  const { method, url, headers, body, attempt } = outgoing
  const idempotencyKey = headers['idempotency-key']
  const startedAtMs = wire.clock()
  const sent = { method, url, attempt, idempotencyKey }
  notify(wire.hooks.onRequest, () => ({ ...sent, headers: redact(headers) }))

  let response: TransportResponse
  try {
    response = await wire.carry(
      { method, url, headers, body, maxResponseBytes: MAX_RESPONSE_BYTES },
      deadline,
    )
  } catch (cause) {
    throw isPaymentsError(cause) ? cause : failureOf(cause, idempotencyKey)
  }

  const { status, headers: answered, body: text } = response
  notify(wire.hooks.onResponse, () => ({
    ...sent,
    status,
    headers: answered,
    requestId: answered['request-id'],
    durationMs: wire.clock() - startedAtMs,
  }))
  return { status, headers: answered, body: text, idempotencyKey }
}

/** Errors of the language, by name: a test runner may have several realms, where `instanceof` is false. */
const languageErrors: ReadonlySet<unknown> = new Set([
  'TypeError',
  'ReferenceError',
  'RangeError',
  'SyntaxError',
])

function failureOf(cause: unknown, idempotencyKey: string | undefined): PaymentsError {
  const reason = systemCode(cause) ?? systemCode(propertyOf(cause, 'cause'))
  // Node's own checks of arguments have codes with ERR_.
  const isBug = languageErrors.has(propertyOf(cause, 'name')) && (reason?.startsWith('ERR_') ?? true)
  if (isBug) return withKey(cause, idempotencyKey)
  return new ConnectionError(`The connection failed${reason === undefined ? '' : ` (${reason})`}.`, {
    type: 'connection_error',
    shouldRetry: true,
    idempotencyKey,
    cause: bareCause(cause),
  })
}

/** A code such as ECONNREFUSED. `fetch` nests it one cause deeper. */
export function systemCode(error: unknown): string | undefined {
  const code = propertyOf(error, 'code')
  return typeof code === 'string' ? code : undefined
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
