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
  return {
    authenticator: async ({ headers }) => {
      // Only the HTTP client knows the time-out of a call. A rejection here would never settle the call, and would end the process.
      const token = httpClient === undefined ? await tokens.get().catch(() => null) : null
      Object.assign(headers, { Authorization: token === null ? NO_TOKEN : `Bearer ${token}` })
    },
    // Node takes an IPv6 address without its brackets.
    host: hostname.replace(/^\[(.+)\]$/, '$1'),
    port: port === '' ? (isPlain ? '80' : '443') : port,
    protocol: isPlain ? 'http' : 'https',
    telemetry: false,
    ...(httpClient === undefined ? {} : { httpClient: wrapped(httpClient, tokens) as Client }),
  }
}

/**
 * Gets the token within the time-out of the request, and again after a 401. Translates `compat-should-retry` into the header
 * that the client reads, and the path of invoice items.
 */
function wrapped(client: StripeHttpClient, tokens: TokenSource): StripeHttpClient {
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (host, port, path, method, headers, requestData, protocol, timeout) => {
      // The client repeats the request itself. It sets no time-out for 0.
      const getToken = () => tokens.get({ maxRetries: 0, timeoutMs: timeout || undefined })
      const ownHost = client.getClientName() !== 'node' && host.includes(':') ? `[${host}]` : host
      const ownPath = path.replace(/^\/v1\/invoiceitems(?=$|[/?])/, '/v1/invoice_items')
      const send = (token: string) => {
        const own = { ...headers, Authorization: `Bearer ${token}` }
        return client.makeRequest(ownHost, port, ownPath, method, own, requestData, protocol, timeout)
      }
      // An error thrown here is a connection error of the client, which it retries.
      const token = await getToken()
      const response = await send(token)
      if (response.getStatusCode() !== 401) return withAdvice(response)
      tokens.invalidate(token)
      const newToken = await getToken().catch(() => null)
      if (newToken === null) return withAdvice(response)
      // An unread body would keep the connection.
      await response.toJSON().catch(() => null)
      return withAdvice(await send(newToken))
    },
  }
}

function withAdvice(response: StripeResponse): StripeResponse {
  const headers = response.getHeaders()
  const advice = headers['compat-should-retry']
  return {
    getStatusCode: () => response.getStatusCode(),
    getHeaders: () => (advice === undefined ? headers : { ...headers, 'stripe-should-retry': advice }),
    getRawResponse: () => response.getRawResponse(),
    toStream: (streamCompleteCallback) => response.toStream(streamCompleteCallback),
    toJSON: () => response.toJSON(),
  }
}
