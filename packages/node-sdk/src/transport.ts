import type { Deadline } from './deadline.ts'
import type { Signal } from './signal.ts'

/**
 * A complete HTTP request.
 *
 * @example
 * ```ts
 * const curl = ({ method, url }: TransportRequest) => `curl -X ${method} '${url}'`
 * ```
 */
export interface TransportRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The complete address with its query. */
  readonly url: string
  /** The headers; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The encoded form; undefined if the request has no body. */
  readonly body: string | undefined
  /** Aborts at the time-out or when the caller aborts. The transport must then stop and reject. */
  readonly signal: Signal
  /** Largest number of bytes to read of the answer's body. */
  readonly maxResponseBytes: number
}

/**
 * A complete HTTP response.
 *
 * @example
 * ```ts
 * const response: TransportResponse = { status: 200, headers: { 'request-id': 'req_1' }, body: '{}' }
 * ```
 */
export interface TransportResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers without `set-cookie`; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body; `null` if it exceeds `maxResponseBytes`, in which case the transport stops reading. */
  readonly body: string | null
}

/**
 * Sends one request and reads its complete answer. It must not follow redirects and must not retry. In Node the default
 * is `node:http` with keep-alive connections, elsewhere `fetchTransport()`.
 *
 * It rejects with an `Error` if the connection fails. The client takes a `TypeError` without a system code for a bug in
 * the transport, and does not retry it.
 *
 * @example
 * ```ts
 * const direct = fetchTransport()
 * const counted: Transport = (request) => {
 *   requestsSent.inc()
 *   return direct(request)
 * }
 * const payments = createMerchantPayments({ baseUrl, clientId, privateKey, transport: counted })
 * ```
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/** A transport that keeps a deadline by itself, and so needs no signal. */
export type Carry = (
  request: Omit<TransportRequest, 'signal'>,
  deadline: Deadline,
) => Promise<TransportResponse>

/** Leaves a transport behind at the deadline, even if it ignores its signal. */
export const carriedBy =
  (transport: Transport): Carry =>
  (request, deadline) =>
    deadline.race(() => transport({ ...request, signal: deadline.signal }))
