import { isPaymentsError, type PaymentsError } from './payments-error.ts'
import type { TokenSource } from './token-source.ts'

/** The request of a compatible client, as its authenticator gets it. */
export interface StripeRequest {
  /** The headers, to which the authenticator adds `Authorization`. */
  headers: object
}

/** The part of a compatible client's response that this package uses. */
export interface StripeResponse {
  /** Returns the HTTP status. */
  getStatusCode(): number
  /** Returns the headers by their names in lower case. */
  getHeaders(): Record<string, string | string[]>
  /** Returns the response of the runtime. */
  getRawResponse(): unknown
  /** Returns the body as a stream. */
  toStream(streamCompleteCallback: () => void): unknown
  /** Reads the body as JSON. */
  toJSON(): Promise<unknown>
}

/** The part of a compatible client's HTTP client that this package uses. */
export interface StripeHttpClient<Response extends StripeResponse = StripeResponse> {
  /** Returns a name for diagnostics. */
  getClientName(): string
  /** Sends one request. */
  makeRequest(
    host: string,
    port: string,
    path: string,
    method: string,
    headers: Record<string, string | number | string[]>,
    requestData: string,
    protocol: string,
    timeout: number,
  ): Promise<Response>
}

/** What {@link stripeConfig} needs. */
export interface StripeConfigOptions<Client extends StripeHttpClient> {
  /** The tokens of the merchant, from `createTokenSource`. */
  readonly tokens: TokenSource
  /** The client's own HTTP client, such as `Stripe.createNodeHttpClient()`. Without it the client knows only its own rules for retries. */
  readonly httpClient?: Client | undefined
}

/** The configuration of a stock client of the compatible API. */
export interface StripeConfig<Client extends StripeHttpClient> {
  /** Sets the `Authorization` header, and leaves the rest of the request as it is (spec 9.4). It never rejects. */
  readonly authenticator: (request: StripeRequest) => Promise<void>
  /** The host of the service. */
  readonly host: string
  /** The port of the service. */
  readonly port: string
  /** The protocol of the service. */
  readonly protocol: 'http' | 'https'
  /** Off: the service ignores it (spec 9.2). */
  readonly telemetry: false
  /** The HTTP client, if one was given. */
  readonly httpClient?: Client
}

/** In place of a token. The wrapped HTTP client puts the token there; without one the service answers 401. */
const NO_TOKEN = 'Bearer token-unavailable'

/**
 * Configures a stock client of the compatible API (stripe-node 17 and later) for this service.
 *
 * @throws TypeError if the service's address has a path, which such a client cannot have
 * @example
 * ```ts
 * import { createTokenSource } from '@merchant-payments/node-sdk'
 * import { stripeConfig } from '@merchant-payments/node-sdk/stripe'
 * import Stripe from 'stripe'
 *
 * const tokens = createTokenSource({ baseUrl, clientId, privateKey })
 * const stripe = new Stripe('', stripeConfig({ tokens, httpClient: Stripe.createNodeHttpClient() }))
 * ```
 */
export function stripeConfig<Client extends StripeHttpClient>({
  tokens,
  httpClient,
}: StripeConfigOptions<Client>): StripeConfig<Client> {
  const { protocol, hostname, port, pathname } = new URL(tokens.baseUrl)
  if (pathname !== '/') throw new TypeError('the address of the service must have no path for this client')
  const isPlain = protocol === 'http:'
  // Node takes an IPv6 address without its brackets.
  const host = hostname.replace(/^\[(.+)\]$/, '$1')
  return {
    authenticator: async (request) => {
      // Some methods, such as `quotes.pdf`, call a host of their own.
      const { headers, host: called = host } = request as StripeRequest & { readonly host?: string }
      const isKnown = httpClient === undefined && called === host
      // Only the HTTP client knows the time-out of a call. A rejection here would never settle the call, and would end the process.
      const token = isKnown ? await tokens.get().catch(() => null) : null
      Object.assign(headers, { Authorization: token === null ? NO_TOKEN : `Bearer ${token}` })
    },
    host,
    port: port === '' ? (isPlain ? '80' : '443') : port,
    protocol: isPlain ? 'http' : 'https',
    telemetry: false,
    ...(httpClient === undefined ? {} : { httpClient: wrapped(httpClient, tokens, host) as Client }),
  }
}

/**
 * Gets the token within the time-out of the request, and again after a 401. Translates `compat-should-retry` into the header
 * that the client reads, and the path of invoice items. Sends nothing to another host than the service's.
 */
function wrapped(client: StripeHttpClient, tokens: TokenSource, knownHost: string): StripeHttpClient {
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (host, port, path, method, headers, requestData, protocol, timeout) => {
      if (host !== knownHost) return otherHost(host)
      // The client repeats the request itself. It sets no time-out for 0.
      const getToken = () => tokens.get({ maxRetries: 0, timeoutMs: timeout || undefined })
      const ownHost = client.getClientName() !== 'node' && host.includes(':') ? `[${host}]` : host
      const ownPath = path.replace(/^\/v1\/invoiceitems(?=$|[/?])/, '/v1/invoice_items')
      const send = (token: string) => {
        const own = { ...headers, Authorization: `Bearer ${token}` }
        return client.makeRequest(ownHost, port, ownPath, method, own, requestData, protocol, timeout)
      }
      // An error thrown here is a connection error of the client, which it retries.
      const token = await getToken().catch(refusedToken)
      if (typeof token !== 'string') return token
      const response = await send(token)
      if (response.getStatusCode() !== 401) return whole(response, timeout)
      tokens.invalidate(token)
      // An unread body would keep the connection.
      const [newToken, refusal] = await Promise.allSettled([getToken(), whole(response, timeout)])
      if (newToken.status === 'fulfilled') return whole(await send(newToken.value), timeout)
      if (refusal.status === 'rejected') throw refusal.reason
      return refusal.value
    },
  }
}

/**
 * The answer to a request for which no token will be had, as with a wrong key. The client makes its authentication
 * error of a 401, with this message, and does not retry.
 */
function refusedToken(thrown: unknown): StripeResponse {
  if (!isPaymentsError(thrown) || thrown.type !== 'oauth_error' || thrown.shouldRetry) throw thrown
  const { code, message, hints = [] } = thrown as PaymentsError & { hints?: readonly string[] }
  return answered(401, { type: 'authentication_error', code, message: [message, ...hints].join('\n- ') })
}

/** The answer to a method of the client that the service does not have. */
const otherHost = (host: string): StripeResponse =>
  answered(404, {
    type: 'invalid_request_error',
    code: 'unknown_route',
    message: `The service has no ${host}, which this method calls.`,
  })

const answered = (status: number, error: object): StripeResponse => ({
  getStatusCode: () => status,
  getHeaders: () => ({}),
  getRawResponse: () => null,
  toStream: () => null,
  toJSON: async () => ({ error }),
})

/** The part of Node's response that tells of a cut body. The response of `fetch` has none of it. */
interface NodeResponse {
  readonly complete?: boolean
  once?(event: 'close', listener: () => void): unknown
}

/** Node's limit of a timer. */
const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * Returns the answer with its whole body. Rejects if the body is cut, or does not come within the time-out of the request:
 * no version of the client repeats such a request, and older ones wait for the end of the body for ever.
 */
function whole(response: StripeResponse, timeoutMs: number): Promise<StripeResponse> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      clearTimeout(timer)
      reject(unreadError(cause))
    }
    const timer =
      timeoutMs > 0
        ? setTimeout(() => fail({ code: 'ETIMEDOUT' }), Math.min(timeoutMs, TIMER_MAX_MS))
        : undefined
    const raw = response.getRawResponse() as NodeResponse | null
    raw?.once?.('close', () => {
      // The client's own reading knows more of the reason, if it notices.
      if (raw.complete !== true) queueMicrotask(() => fail(undefined))
    })
    const json = response.toJSON()
    const answer = () => {
      clearTimeout(timer)
      resolve(withAdvice(response, json))
    }
    // A body that is whole, but no JSON, is an error of the client's own.
    json.then(answer, (error: unknown) => ((error as Error).name === 'SyntaxError' ? answer() : fail(error)))
  })
}

/** Without the code of a closed connection: a client repeats such a request even without retries, when it has sent no key. */
function unreadError(cause: unknown): Error {
  const error = new Error('the connection ended before the whole answer came', { cause })
  const isTimeout = (cause as { code?: unknown } | undefined)?.code === 'ETIMEDOUT'
  return isTimeout ? Object.assign(error, { code: 'ETIMEDOUT' }) : error
}

function withAdvice(response: StripeResponse, json: Promise<unknown>): StripeResponse {
  const headers = response.getHeaders()
  const advice = headers['compat-should-retry']
  return {
    getStatusCode: () => response.getStatusCode(),
    getHeaders: () => (advice === undefined ? headers : { ...headers, 'stripe-should-retry': advice }),
    getRawResponse: () => response.getRawResponse(),
    toStream: (streamCompleteCallback) => {
      streamCompleteCallback()
      return streamOf(response.getRawResponse(), json)
    },
    toJSON: () => json,
  }
}

/** Streams the body that was read, in Node's way or in that of `fetch`, as the HTTP client does. */
function streamOf(raw: unknown, json: Promise<unknown>): unknown {
  const text = async function* () {
    yield JSON.stringify(await json)
  }
  // The class of Node's response inherits it from `Readable`, which this entry cannot import.
  const { from } = (raw as { constructor: { from?: (source: unknown) => unknown } }).constructor
  if (from !== undefined) return from(text())
  return new ReadableStream({
    start: async (controller) => {
      for await (const chunk of text()) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
}
