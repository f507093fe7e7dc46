/**
 * One HTTP request, complete.
 *
 * @example
 * ```ts
 * const curl = ({ method, url }: TransportRequest) => `curl -X ${method} '${url}'`
 * ```
 */
export interface TransportRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The whole address, its query included. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The form; undefined if the request has no body. */
  readonly body: string | undefined
  /** Aborts when the time is up or the caller gave up: stop, and reject. */
  readonly signal: AbortSignal
  /** Bytes of the answer’s body that are read at most. */
  readonly maxResponseBytes: number
}

/**
 * One HTTP response, fully read.
 *
 * @example
 * ```ts
 * const response: TransportResponse = { status: 200, headers: { 'request-id': 'req_1' }, body: '{}' }
 * ```
 */
export interface TransportResponse {
  /** The HTTP status. */
  readonly status: number
  /** Lower-case names; `set-cookie` left out. */
  readonly headers: Readonly<Record<string, string>>
  /** `null` for a body of more than `maxResponseBytes`, which is not read to its end. */
  readonly body: string | null
}

/**
 * Carries one request and reads its whole answer. It must not follow redirects and must not retry. The default is
 * `node:http` with keep-alive connections; `@merchant-payments/node-sdk/fetch` has one for other runtimes.
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
