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

/** In place of a token. The HTTP client does not send a request with it; without one the service answers 401. */
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
      // A rejection would never settle the call of such a client, and would end the process.
      const authorization = await tokens.get().then(
        (token) => `Bearer ${token}`,
        () => NO_TOKEN,
      )
      Object.assign(headers, { Authorization: authorization })
    },
    host: hostname,
    port: port === '' ? (isPlain ? '80' : '443') : port,
    protocol: isPlain ? 'http' : 'https',
    telemetry: false,
    ...(httpClient === undefined ? {} : { httpClient: wrapped(httpClient, tokens) as Client }),
  }
}

/**
 * Mints a token again after a 401, translates `compat-should-retry` into the header that the client reads, and translates
 * the path of invoice items.
 */
function wrapped(client: StripeHttpClient, tokens: TokenSource): StripeHttpClient {
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (host, port, path, method, headers, ...rest) => {
      const ownPath = path.replace(/^\/v1\/invoiceitems(?=$|[/?])/, '/v1/invoice_items')
      const send = (authorization: string) =>
        client.makeRequest(host, port, ownPath, method, { ...headers, Authorization: authorization }, ...rest)
      const given = String(headers['Authorization'])
      // An error thrown here is a connection error of the client, which it retries.
      const authorization = given === NO_TOKEN ? `Bearer ${await tokens.get()}` : given
      const response = await send(authorization)
      if (response.getStatusCode() !== 401) return withAdvice(response)
      tokens.invalidate(authorization.slice('Bearer '.length))
      const token = await tokens.get().catch(() => null)
      if (token === null) return withAdvice(response)
      // An unread body would keep the connection.
      await response.toJSON().catch(() => null)
      return withAdvice(await send(`Bearer ${token}`))
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
