import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { basic, call, core, startRails } from './mtn-client.ts'
import {
  access,
  ask,
  askToken,
  newOrderId,
  open,
  ORANGE,
  pathOf,
  refused,
  TOKEN_PATH,
} from './orange-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const wrongClient = {
  status: 401,
  body: {
    error: 'invalid_client',
    error_description: 'The requested service needs credentials, but the ones provided were invalid.',
  },
}
const missing = refused(
  401,
  40,
  'Missing credentials',
  'The requested service needs credentials, but none were provided.',
)
const invalid = refused(
  401,
  41,
  'Invalid credentials',
  'The requested service needs credentials, but the ones provided were invalid.',
)
const expired = refused(
  401,
  42,
  'Expired credentials',
  'The requested service needs credentials, and the ones provided were out-of-date.',
)

describe('the token endpoint', () => {
  test('answers the application with a token whose lifetime is a string', async () => {
    expect(core(await askToken(rails))).toEqual({
      status: 200,
      body: {
        token_type: 'Bearer',
        access_token: expect.stringMatching(/^[\w-]{43}$/),
        expires_in: '7776000',
      },
    })
  })

  test.each([
    ['no credentials', undefined],
    ['another client', basic('somebody', ORANGE.clientSecret)],
    ['another secret', basic(ORANGE.clientId, 'guess')],
    ['no Basic scheme', `Bearer ${Buffer.from('a:b').toString('base64')}`],
    ['no Base64 at all', 'Basic !'],
  ])('refuses %s', async (_name, authorization) => {
    expect(core(await askToken(rails, { authorization }))).toEqual(wrongClient)
  })

  test.each([
    ['a JSON body', { 'content-type': 'application/json' }, '{}', 'invalid_request', /x-www-form-urlencoded/],
    ['no grant_type', {}, 'scope=x', 'invalid_request', /missing/],
    ['another grant_type', {}, 'grant_type=password', 'unsupported_grant_type', /client_credentials/],
  ])('refuses %s', async (_name, headers, body, error, description) => {
    expect(core(await askToken(rails, headers, body))).toEqual({
      status: 400,
      body: { error, error_description: expect.stringMatching(description) },
    })
  })

  test('accepts the credentials of the settings', async () => {
    await rails.control.updateSettings({ orange: { clientId: 'mine', clientSecret: 'my secret' } })
    expect(core(await askToken(rails))).toEqual(wrongClient)
    expect((await askToken(rails, { authorization: basic('mine', 'my secret') })).status).toBe(200)
  })

  test('accepts only POST on its own path', async () => {
    const answers = await Promise.all([
      call(rails.wireUrl, 'GET', TOKEN_PATH),
      call(rails.wireUrl, 'POST', '/oauth/v2/token'),
      call(rails.wireUrl, 'POST', '/orange-money-webpay/sn/v1/webpayment'),
    ])
    for (const answer of answers) {
      expect(core(answer)).toMatchObject({ status: 404, body: { code: 60, message: 'Resource not found' } })
    }
    expect(await rails.control.listCalls({ operation: 'unrouted' })).toHaveLength(3)
  })
})

describe.each(['webpayment', 'transactionstatus'] as const)('%s', (operation) => {
  const send = (headers: Record<string, string | undefined>, text = '{}') =>
    call(rails.wireUrl, 'POST', pathOf(operation), headers, text)

  test('checks the token before anything else', async () => {
    expect(core(await send({ 'content-type': 'application/json' }, '{'))).toEqual(missing)
  })

  test.each(['Bearer guess', 'Basic abc', 'Bearer', 'nonsense'])('refuses %j', async (authorization) => {
    expect(core(await send({ authorization, 'content-type': 'application/json' }))).toEqual(invalid)
  })

  test('accepts a token until the millisecond of its expiry', async () => {
    await rails.control.updateSettings({ orange: { tokenTtlSec: 60 } })
    const headers = await access(rails)
    await rails.control.advanceClock(59_999)
    expect(await send(headers)).toMatchObject({ status: 400, body: { code: 23 } })
    await rails.control.advanceClock(1)
    expect(core(await send(headers))).toEqual(expired)
  })

  test('refuses a revoked token', async () => {
    const headers = await access(rails)
    await rails.control.revokeTokens()
    expect(core(await send(headers))).toEqual(invalid)
  })

  test('accepts only JSON', async () => {
    const headers = { ...(await access(rails)), 'content-type': 'text/plain' }
    expect(core(await send(headers))).toEqual(
      refused(400, 26, 'Invalid header value', 'One or more headers contain invalid values.'),
    )
  })

  test.each(['', '{', '[]', 'null', '"text"', '7'])('refuses the body %j', async (text) => {
    expect(core(await send(await access(rails), text))).toEqual(
      refused(400, 22, 'Invalid body', 'The posted body is not well-formed and thus can not be parsed.'),
    )
  })
})

test('one token serves both operations, and many payments', async () => {
  const headers = await access(rails)
  const first = await open(rails, { headers })
  expect(first.status).toBe(201)
  expect((await open(rails, { headers, body: { order_id: newOrderId() } })).status).toBe(201)
  expect((await ask(rails, first, { headers })).status).toBe(201)
})
