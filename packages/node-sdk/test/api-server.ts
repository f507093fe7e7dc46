import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { listen } from '@merchant-payments/testing/listen'
import { createMerchantPayments, type MerchantPaymentsOptions } from '../src/index-node.ts'

/** A received request. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The next answer: an object or list as JSON, a string as the body, or a function that writes the response. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse, seen: Seen) => void)

export const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const intent = {
  id: 'pi_0190b2c4e8f97d3ab6c51e2f40718293',
  object: 'payment_intent',
  amount: 5000,
  currency: 'XAF',
  status: 'requires_payment_method',
  payment_method_types: ['mtn_momo_cm'],
  customer: null,
  description: null,
  metadata: { order: '42' },
  next_action: null,
  last_payment_error: null,
  invoice: null,
  canceled_at: null,
  cancellation_reason: null,
  created: 1_795_000_000,
  livemode: false,
} as const

export const apiError = (status: number, code: string, advice?: string): Answer => ({
  status,
  headers: { 'request-id': 'req_1', ...(advice === undefined ? {} : { 'compat-should-retry': advice }) },
  body: { error: { type: status < 500 ? 'invalid_request_error' : 'api_error', code, message: 'no luck' } },
})

/**
 * A real HTTP server on a free port that gives the answers in order. After the last one it answers 418, which no
 * client retries. Its token endpoint issues `token-1`, `token-2` and so on, or gives `tokenAnswers` in order.
 */
export async function startApi({ answers = [], tokenAnswers = [], tls }: Script = {}) {
  const requests: Seen[] = []
  const tokenRequests: Seen[] = []

  const next = (seen: Seen): Answer => {
    if (seen.path !== '/v1/oauth/token') return answers[requests.push(seen) - 1] ?? { status: 418 }
    const count = tokenRequests.push(seen)
    const token = { access_token: `token-${count}`, token_type: 'Bearer', expires_in: 900 }
    return tokenAnswers[count - 1] ?? { body: token }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { method = '', url: path = '', headers } = request
    const seen = { method, path, headers, body }
    const answer = next(seen)
    if (typeof answer === 'function') return answer(response, seen)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(typeof answer.body === 'object' ? JSON.stringify(answer.body) : answer.body)
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void handle(request, response)
  const server = tls === undefined ? createServer(onRequest) : createSecureServer(tls, onRequest)
  const baseUrl = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${await listen(server)}`

  /** The delays of the client under test, whose back-offs take no time. */
  const delaysMs: number[] = []
  const client = (options: Partial<MerchantPaymentsOptions> = {}) =>
    createMerchantPayments({
      baseUrl,
      clientId: 'shop',
      privateKey,
      random: () => 0.5,
      sleep: (delayMs) => {
        delaysMs.push(delayMs)
        return Promise.resolve()
      },
      ...options,
    })
  return { baseUrl, requests, tokenRequests, delaysMs, client }
}

interface Script {
  readonly answers?: readonly Answer[]
  readonly tokenAnswers?: readonly Answer[]
  /** For an API over https. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** The `kid` in the assertion of a token request; undefined if it has none. */
export function kidOf({ body }: Seen): string | undefined {
  const [header = ''] = (new URLSearchParams(body).get('client_assertion') ?? '').split('.')
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: string }).kid
}

/** Returns the error with which a call rejects. Fails the test if the call succeeds. */
export const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => Promise.reject(new Error('the call was expected to fail')),
    (error: unknown) => error,
  )
