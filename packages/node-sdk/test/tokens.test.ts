import { AsyncLocalStorage } from 'node:async_hooks'
import { verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  AuthenticationError,
  ConnectionError,
  createMerchantPayments,
  DecodeError,
  OAuthError,
  type StoredToken,
} from '../src/index.ts'
import { fetchTransport } from '../src/fetch.ts'
import {
  type Answer,
  apiError,
  intent,
  privateKey,
  publicKey,
  rejection,
  type Seen,
  startApi,
} from './api-server.ts'

const nowMs = Date.UTC(2026, 10, 21)
const found: Answer = { body: intent }
const refused = apiError(401, 'authentication_error', 'false')
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Verifies and decodes the assertion of a token request. */
function assertionOf({ body }: Seen) {
  const jwt = new URLSearchParams(body).get('client_assertion') ?? ''
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  const input = Buffer.from(`${header}.${claims}`)
  expect(verify('sha256', input, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  const parse = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: parse(header), claims: parse(claims) as Record<string, unknown> }
}

const jtisOf = (requests: readonly Seen[]) => new Set(requests.map((seen) => assertionOf(seen).claims['jti']))

describe('the token request', () => {
  test('has an assertion as the service requires it [§2.9]', async () => {
    const { baseUrl, client, tokenRequests } = await startApi({ answers: [found] })
    await client({ clock: () => nowMs + 999 }).paymentIntents.retrieve(intent.id)
    const [request] = tokenRequests
    if (request === undefined) throw new Error('no token request')
    const { client_assertion: jwt, ...form } = Object.fromEntries(new URLSearchParams(request.body))
    expect(form).toEqual({
      grant_type: 'client_credentials',
      client_id: 'shop',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      audience: 'service:v1',
    })
    expect(jwt).not.toMatch(/[+/=]/)
    expect(assertionOf(request)).toEqual({
      header: { alg: 'RS256', typ: 'JWT' },
      claims: {
        iss: 'shop',
        sub: 'shop',
        aud: `${baseUrl}/v1/oauth`,
        jti: expect.stringMatching(uuidV4),
        exp: nowMs / 1000 + 60,
      },
    })
    expect(request).toMatchObject({ method: 'POST', headers: { accept: 'application/json' } })
    expect(request.headers).not.toHaveProperty('authorization')
    expect(request.headers).not.toHaveProperty('idempotency-key')
  })

  test('uses keyId, issuer and scope of the options', async () => {
    const { client, tokenRequests } = await startApi({ answers: [found] })
    const issuer = 'https://payments.example.com/v1/oauth'
    await client({ keyId: 'key-2', issuer, scope: 'payments:read' }).events.retrieve('evt_1')
    const [request] = tokenRequests
    if (request === undefined) throw new Error('no token request')
    expect(assertionOf(request)).toMatchObject({ header: { kid: 'key-2' }, claims: { aud: issuer } })
    expect(new URLSearchParams(request.body).get('scope')).toBe('payments:read')
  })

  test('uses the kid of a JWK', async () => {
    const { client, tokenRequests } = await startApi({ answers: [found] })
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'key-3' }
    await client({ privateKey: jwk }).paymentIntents.retrieve(intent.id)
    expect(tokenRequests.map((seen) => assertionOf(seen).header)).toEqual([
      { alg: 'RS256', typ: 'JWT', kid: 'key-3' },
    ])
  })

  test('is sent once for 100 concurrent calls', async () => {
    const { client, requests, tokenRequests } = await startApi({
      answers: Array.from({ length: 100 }, () => found),
    })
    const payments = client()
    await Promise.all(Array.from({ length: 100 }, () => payments.paymentIntents.retrieve(intent.id)))
    expect(requests).toHaveLength(100)
    expect(tokenRequests).toHaveLength(1)
  })

  test('is not repeated while the token is fresh', async () => {
    const time = { nowMs }
    const { client, requests, tokenRequests } = await startApi({ answers: [found, found, found] })
    const payments = client({ clock: () => time.nowMs })
    await payments.paymentIntents.retrieve(intent.id)
    time.nowMs += 599_000
    await payments.paymentIntents.retrieve(intent.id)
    expect(tokenRequests).toHaveLength(1)
    time.nowMs += 271_000
    await payments.paymentIntents.retrieve(intent.id)
    expect(tokenRequests).toHaveLength(2)
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ])
  })
})

describe('a 401', () => {
  test('requests one token and repeats the request, whatever maxRetries is [§5.4]', async () => {
    const { client, requests, tokenRequests, delaysMs } = await startApi({ answers: [refused, found] })
    const result = await client({ maxRetries: 0 }).paymentIntents.cancel(intent.id)
    expect(result).toEqual(intent)
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
    expect(requests[0]?.headers['idempotency-key']).toBe(requests[1]?.headers['idempotency-key'])
    expect(jtisOf(tokenRequests).size).toBe(2)
    expect(delaysMs).toEqual([])
  })

  test('with a new token is final, and that token is not used again', async () => {
    const { client, requests, tokenRequests } = await startApi({ answers: [refused, refused, found] })
    const payments = client()
    expect(await rejection(payments.paymentIntents.retrieve(intent.id))).toBeInstanceOf(AuthenticationError)
    expect([requests.length, tokenRequests.length]).toEqual([2, 2])
    await payments.paymentIntents.retrieve(intent.id)
    expect(requests[2]?.headers.authorization).toBe('Bearer token-3')
  })

  test('of 100 concurrent calls requests one new token', async () => {
    const onlySecond: Answer = (response, { headers }) => {
      const good = headers.authorization === 'Bearer token-2'
      response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(good ? intent : { error: { type: 'authentication_error' } }))
    }
    const { client, tokenRequests } = await startApi({
      answers: Array.from({ length: 200 }, () => onlySecond),
    })
    const payments = client()
    await Promise.all(Array.from({ length: 100 }, () => payments.paymentIntents.retrieve(intent.id)))
    expect(tokenRequests).toHaveLength(2)
  })
})

test('a 401 is mended although the token of another process in the store is refused too [§5.4]', async () => {
  let accepted = /token-[12]$/
  const answer: Answer = (response, { headers }) => {
    const good = accepted.test(headers.authorization ?? '')
    response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(good ? intent : { error: { type: 'authentication_error' } }))
  }
  const { client, requests } = await startApi({ answers: Array.from({ length: 4 }, () => answer) })
  let content: StoredToken | undefined
  let isEmpty = true
  const tokenStore = {
    get: () => Promise.resolve(isEmpty ? undefined : content),
    set: (_key: string, token: StoredToken) => Promise.resolve(void (content = token)),
  }
  // Both processes renew before either has stored its token.
  const payments = client({ tokenStore })
  await payments.paymentIntents.retrieve(intent.id)
  await client({ tokenStore }).paymentIntents.retrieve(intent.id)
  isEmpty = false
  accepted = /token-3$/
  expect(await payments.paymentIntents.retrieve(intent.id)).toEqual(intent)
  expect(requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer token-1',
    'Bearer token-2',
    'Bearer token-1',
    'Bearer token-3',
  ])
})

describe('a token endpoint', () => {
  test.each<[string, Answer]>([
    ['that resets', (response) => response.destroy()],
    ['that is down', { status: 503, body: '' }],
    [
      'that is temporarily unavailable',
      {
        status: 503,
        headers: { 'compat-should-retry': 'true' },
        body: { error: 'temporarily_unavailable', error_description: 'Send it again.' },
      },
    ],
    ['that has an internal error', { status: 500, body: { error: 'server_error' } }],
  ])('%s is asked again, with a new assertion, as one of the retries of the call', async (_what, fault) => {
    const { client, requests, tokenRequests, delaysMs } = await startApi({
      answers: [found],
      tokenAnswers: [fault],
    })
    await client({ maxRetries: 1 }).paymentIntents.retrieve(intent.id)
    expect(requests).toHaveLength(1)
    expect(jtisOf(tokenRequests).size).toBe(2)
    expect(delaysMs).toEqual([250])
  })

  test.each([0, 2, 5])(
    'that stays unavailable fails the call after %d retries, without sending it',
    async (maxRetries) => {
      const reset: Answer = (response) => response.destroy()
      const tokenAnswers = Array.from({ length: 10 }, () => reset)
      const { client, requests, tokenRequests } = await startApi({ tokenAnswers })
      const options = { idempotencyKey: 'cancel-42' }
      const error = await rejection(client({ maxRetries }).paymentIntents.cancel(intent.id, {}, options))
      expect(error).toBeInstanceOf(ConnectionError)
      expect(error).toMatchObject({ shouldRetry: true, idempotencyKey: 'cancel-42' })
      expect([requests.length, tokenRequests.length]).toEqual([0, maxRetries + 1])
    },
  )

  const silent: Answer = () => {}
  const hasty = { timeoutMs: 300, maxRetries: 1 }

  test('that leaves one request unanswered is asked again by the retry of the call', async () => {
    const { client, requests, tokenRequests } = await startApi({
      answers: [found],
      tokenAnswers: [silent],
    })
    await client().paymentIntents.retrieve(intent.id, hasty)
    expect([tokenRequests.length, requests.length]).toEqual([2, 1])
  })

  test('that leaves one request unanswered does not fail the calls after it', async () => {
    const { client, tokenRequests } = await startApi({ answers: [found], tokenAnswers: [silent, silent] })
    const payments = client()
    const error = await rejection(payments.paymentIntents.retrieve(intent.id, hasty))
    expect(error).toMatchObject({ name: 'TimeoutError' })
    await payments.paymentIntents.retrieve(intent.id, hasty)
    expect(tokenRequests).toHaveLength(3)
  })

  test('that refuses the client is asked once, and the error lists possible causes', async () => {
    const { baseUrl, client, tokenRequests } = await startApi({
      tokenAnswers: [
        {
          status: 401,
          headers: { 'request-id': 'req_3', date: new Date(nowMs).toUTCString() },
          body: { error: 'invalid_client', error_description: 'client authentication failed' },
        },
      ],
    })
    const payments = client({ keyId: 'key-2', clock: () => nowMs + 75_000 })
    const error = await rejection(payments.paymentIntents.retrieve(intent.id))
    expect(tokenRequests).toHaveLength(1)
    expect(error).toBeInstanceOf(OAuthError)
    expect(error).toMatchObject({
      message: 'invalid_client: client authentication failed (see hints)',
      type: 'oauth_error',
      code: 'invalid_client',
      status: 401,
      requestId: 'req_3',
      shouldRetry: false,
      clockSkewSec: 75,
      hints: [
        "This machine's clock is 75 s ahead of the service's; correct it.",
        expect.stringMatching(/^Is clientId registered/),
        expect.stringMatching(/^Is the public half/),
        'The kid sent is "key-2": is exactly this one registered?',
        expect.stringContaining(`The audience sent is ${baseUrl}/v1/oauth:`),
      ],
    })
  })

  test('that refuses the scope gives an error without hints', async () => {
    const body = { error: 'invalid_scope', error_description: 'not registered' }
    const { client } = await startApi({ tokenAnswers: [{ status: 400, body }] })
    const error = await rejection(client({ scope: 'payments:all' }).paymentIntents.retrieve(intent.id))
    expect(error).toMatchObject({ name: 'OAuthError', message: 'invalid_scope: not registered', hints: [] })
  })

  test.each<[string, unknown]>([
    ['no token', { token_type: 'Bearer', expires_in: 900 }],
    [
      'a token that would break the header',
      { access_token: 'a\r\nb', token_type: 'Bearer', expires_in: 900 },
    ],
    ['another type', { access_token: 'a', token_type: 'DPoP', expires_in: 900 }],
    ['a life in text', { access_token: 'a', token_type: 'Bearer', expires_in: '900' }],
    ['no life', { access_token: 'a', token_type: 'Bearer', expires_in: 0 }],
  ])('that answers with %s causes an error', async (_what, body) => {
    const { client, requests } = await startApi({ tokenAnswers: [{ body }] })
    expect(await rejection(client().paymentIntents.retrieve(intent.id))).toBeInstanceOf(DecodeError)
    expect(requests).toEqual([])
  })
})

/**
 * A runtime that ends what a request to it started once that request is over, as edge workers do: no answer arrives any
 * more, and no signal is heard. Calls of the API are answered at once, so a request is over before its token request is.
 */
async function startEdge() {
  const { baseUrl, tokenRequests } = await startApi()
  const served = new AsyncLocalStorage<{ isOver: boolean }>()
  const direct = fetchTransport()
  const time = { nowMs }
  const payments = createMerchantPayments({
    baseUrl,
    clientId: 'shop',
    privateKey,
    clock: () => time.nowMs,
    transport: async (request) => {
      if (!request.url.endsWith('/oauth/token')) {
        return { status: 200, headers: {}, body: JSON.stringify(intent) }
      }
      const own = served.getStore()
      const response = await direct(request)
      return own?.isOver === true ? new Promise<never>(() => {}) : response
    },
  })
  const read = () => payments.paymentIntents.retrieve(intent.id, { timeoutMs: 10_000, maxRetries: 0 })
  const serve = (request = { isOver: false }) =>
    served.run(request, async () => {
      const { status } = await read()
      request.isOver = true
      return status
    })
  return { serve, time, tokenRequests }
}

describe('on a runtime that ends the work of each request', () => {
  test('calls with an expired token wait for no token request of an earlier request', async () => {
    const { serve, time, tokenRequests } = await startEdge()
    await serve()
    time.nowMs += 600_000
    await serve()
    time.nowMs += 270_000
    expect(await Promise.all([serve(), serve()])).toEqual([intent.status, intent.status])
    await serve()
    expect(tokenRequests).toHaveLength(3)
  })

  test('a request that ends early takes no token from those beside it', async () => {
    const { serve } = await startEdge()
    const left = { isOver: false }
    serve(left).catch(() => {})
    const others = [serve(), serve()]
    left.isOver = true
    expect(await Promise.all(others)).toEqual([intent.status, intent.status])
  })
})

test('a token answer that is cut is asked for again', async () => {
  const { client, tokenRequests } = await startApi({
    tokenAnswers: [{ body: '{"access_' }],
    answers: [found],
  })
  expect(await client().paymentIntents.retrieve(intent.id)).toEqual(intent)
  expect(tokenRequests).toHaveLength(2)
})

test('a token store is shared only by clients with the same scope', async () => {
  const content = new Map<string, StoredToken>()
  const tokenStore = {
    get: (key: string) => Promise.resolve(content.get(key)),
    set: (key: string, token: StoredToken) => Promise.resolve(void content.set(key, token)),
  }
  const { baseUrl, client, tokenRequests } = await startApi({ answers: [found, found, found] })
  const clock = () => nowMs
  await client({ tokenStore, clock }).paymentIntents.retrieve(intent.id)
  await client({ tokenStore, clock }).paymentIntents.retrieve(intent.id)
  await client({ tokenStore, clock, scope: 'payments:read' }).paymentIntents.retrieve(intent.id)
  const times = { refreshAtMs: nowMs + 600_000, expiresAtMs: nowMs + 870_000 }
  expect(Object.fromEntries(content)).toEqual({
    [`${baseUrl}/v1/oauth shop `]: { accessToken: 'token-1', ...times },
    [`${baseUrl}/v1/oauth shop payments:read`]: { accessToken: 'token-2', ...times },
  })
  expect(tokenRequests).toHaveLength(2)
})
