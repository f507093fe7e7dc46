import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startTestApi, type TestCall } from '../harness.ts'
import { disableClient, enableClient } from '../rows.ts'
import { cancelCall, confirmCall, createCall, createIntent, intentForm, readIntent } from '../steps.ts'
import { operationCalls } from './operations.ts'

const api = await startTestApi()
afterAll(() => api.stop())
afterEach(() => enableClient(api, 'acme'))

const unrouted: [string, TestCall] = ['an unrouted path', { path: '/v1/balance' }]
const everyCall: readonly [string, TestCall][] = [...operationCalls, unrouted]

const MINUTE_MS = 60_000

async function badAuthorizations(): Promise<[string, string | null][]> {
  const good = await api.tokenFor('acme')
  const [head, body, signature] = good.split('.') as [string, string, string]
  const [, otherBody] = (await api.tokenFor('globex')).split('.') as [string, string]
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  return [
    ['nothing', null],
    ['an empty value', ''],
    ['the scheme alone', 'Bearer'],
    ['no token', 'Bearer '],
    ['the token alone', good],
    ['another scheme', `Basic ${Buffer.from('acme:secret').toString('base64')}`],
    ['a key of the compatible API', 'Bearer sk_test_123'],
    ['two tokens', `Bearer ${good} ${good}`],
    ['two tokens with a comma', `Bearer ${good}, Bearer ${good}`],
    ['a cut token', `Bearer ${good.slice(0, -10)}`],
    ['another signature', `Bearer ${head}.${body}.${flipped}`],
    ['no signature', `Bearer ${head}.${body}.`],
    ['two parts', `Bearer ${head}.${body}`],
    ['another body', `Bearer ${head}.${otherBody}.${signature}`],
    ['no algorithm', `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`],
    ['a token for the client itself', `Bearer ${await api.tokenFor('acme', undefined, 'acme')}`],
    ['a token for another service', `Bearer ${await api.tokenFor('acme', undefined, 'service:v2')}`],
    ['noise', 'Bearer \u00e9\u00ff'],
    ['a long token', `Bearer ${'a'.repeat(8_000)}`],
  ]
}

describe('401', () => {
  test.each(everyCall)(
    '%s without a good token: one answer, whatever was wrong [§1.6, §4, §5.7, §7.2]',
    async (_, call) => {
      const texts = new Set<string>()
      for (const [fault, authorization] of await badAuthorizations()) {
        const headers: Record<string, string> = authorization === null ? {} : { authorization }
        const answer = await api.call({ ...call, token: null, headers })
        expect([fault, answer.status]).toEqual([fault, 401])
        expect(answer).toBeRefusal('authentication_error')
        texts.add(answer.text)
      }
      expect(texts.size).toBe(1)
    },
  )

  test.each([
    ['no credentials', null, 'Bearer'],
    ['a malformed token', 'Bearer abc', 'Bearer error="invalid_token"'],
    ['another scheme', 'Basic YWNtZTpzZWNyZXQ=', 'Bearer error="invalid_token"'],
  ])('has the challenge of RFC 6750: %s', async (_, authorization, challenge) => {
    const headers: Record<string, string> = authorization === null ? {} : { authorization }
    const answer = await api.call({ path: '/v1/events', token: null, headers })
    expect(answer.headers['www-authenticate']).toBe(challenge)
  })

  test('a token is refused once it has expired', async () => {
    const token = await api.tokenFor('acme')
    expect((await api.call({ path: '/v1/events', token })).status).toBe(200)
    api.advance(15 * MINUTE_MS)
    expect(await api.call({ path: '/v1/events', token })).toBeRefusal('authentication_error')
  })

  test('comes before every fault in a body or a path', async () => {
    const json = { 'content-type': 'application/json' }
    for (const call of [
      { ...createCall('{"amount":1}', { headers: json }), key: null },
      createCall('amount=x', { key: 'k'.repeat(300) }),
      { path: '/v1/nothing' },
      { path: '/v1/payment_intents/search' },
      { path: '/v1/payment_intents?limit=x' },
    ]) {
      expect(await api.call({ ...call, token: null })).toBeRefusal('authentication_error')
    }
  })

  test('without a token nothing changes, and no stored answer is returned', async () => {
    const key = randomUUID()
    const { id } = await createIntent(api, '', { key })
    expect(await api.call(createCall(intentForm, { key, token: null }))).toBeRefusal('authentication_error')
    expect(await api.call(cancelCall(id, { token: null }))).toBeRefusal('authentication_error')
    expect((await readIntent(api, id)).body.status).toBe('requires_payment_method')
  })
})

describe('a disabled client', () => {
  test.each(everyCall)('%s: 401 on the next request, whatever it is [§5.1.5]', async (_, call) => {
    const token = await api.tokenFor('acme')
    expect((await api.call({ ...call, token })).status).not.toBe(401)
    await disableClient(api, 'acme')
    const bad = await api.call({ ...call, token: null })
    const answer = await api.call({ ...call, token })
    expect(answer).toBeRefusal('authentication_error')
    expect(bad).toBeRefusal('authentication_error')
    await enableClient(api, 'acme')
    expect((await api.call({ ...call, token })).status).not.toBe(401)
  })

  test('gets the 401 before its faults', async () => {
    await disableClient(api, 'acme')
    const readOnly = await api.tokenFor('acme', ['payments:read'])
    const scopeless = await api.tokenFor('acme', [])
    for (const call of [
      createCall('amount=x'),
      createCall('amount=x', { key: null }),
      createCall('{}', { headers: { 'content-type': 'application/json' } }),
      { path: '/v1/payment_intents?limit=x' },
      { path: '/v1/events/x' },
      { path: '/v1/nothing' },
      createCall(intentForm, { token: readOnly }),
      { path: '/v1/events', token: scopeless },
    ]) {
      expect(await api.call(call)).toBeRefusal('authentication_error')
    }
  })

  test('gets no stored answer, changes no intent, and finds everything unchanged once enabled', async () => {
    const key = randomUUID()
    const first = await api.call(createCall(intentForm, { key }))
    await disableClient(api, 'acme')
    for (const call of [
      createCall(intentForm, { key }),
      createCall(),
      confirmCall(first.body.id),
      cancelCall(first.body.id),
    ]) {
      expect(await api.call(call)).toBeRefusal('authentication_error')
    }
    await enableClient(api, 'acme')
    expect((await readIntent(api, first.body.id)).body).toEqual(first.body)
    expect((await api.call(createCall(intentForm, { key }))).text).toBe(first.text)
    expect(await api.mock.control.listCalls({ operation: 'submit' })).toEqual([])
  })

  test('does not affect other clients', async () => {
    await disableClient(api, 'acme')
    expect((await api.call({ path: '/v1/events', merchant: 'globex' })).status).toBe(200)
  })
})

describe('403', () => {
  test.each(everyCall)('%s with neither scope [§4, §5.4, §7.2]', async (_, call) => {
    expect(await api.call({ ...call, token: await api.tokenFor('acme', []) })).toBeRefusal('forbidden')
  })

  const reads = operationCalls.filter(([, { method }]) => method === 'GET')
  const writes = operationCalls.filter(([, { method }]) => method !== 'GET')

  test.each(reads)('%s is allowed with only the reading scope [§5.4]', async (_, call) => {
    const answer = await api.call({ ...call, token: await api.tokenFor('acme', ['payments:read']) })
    expect([200, 400, 404]).toContain(answer.status)
  })

  test.each(writes)('%s is refused with only the reading scope [§5.4]', async (_, call) => {
    const token = await api.tokenFor('acme', ['payments:read'])
    expect(await api.call({ ...call, token })).toBeRefusal('forbidden')
  })

  test.each(operationCalls)('%s is allowed with only the writing scope [§5.4]', async (_, call) => {
    const answer = await api.call({ ...call, token: await api.tokenFor('acme', ['payments:write']) })
    expect([200, 400, 404]).toContain(answer.status)
  })

  test('comes before the check of the body, and after the route', async () => {
    const token = await api.tokenFor('acme', ['payments:read'])
    const json = { 'content-type': 'application/json' }
    expect(await api.call(createCall('{}', { token, headers: json, key: null }))).toBeRefusal('forbidden')
    expect(await api.call({ ...createCall(), path: '/v1/balance', token })).toBeRefusal('unknown_route')
    const none = await api.tokenFor('acme', [])
    expect(await api.call({ path: '/v1/balance', token: none })).toBeRefusal('forbidden')
  })

  test('changes nothing', async () => {
    const created = await createIntent(api)
    const token = await api.tokenFor('acme', ['payments:read'])
    expect(await api.call(confirmCall(created.id, undefined, { token }))).toBeRefusal('forbidden')
    expect(await api.call(cancelCall(created.id, { token }))).toBeRefusal('forbidden')
    expect((await readIntent(api, created.id)).body).toEqual(created)
  })
})

describe('the scheme', () => {
  test.each(['bearer', 'BEARER', 'Bearer'])('%s is accepted', async (scheme) => {
    const authorization = `${scheme} ${await api.tokenFor('acme')}`
    const answer = await api.call({ path: '/v1/events', token: null, headers: { authorization } })
    expect(answer.status).toBe(200)
    expect(answer).toHaveRequestId()
  })

  test('headers of the compatible API are accepted and ignored [§9.2]', async () => {
    const { id } = await createIntent(api)
    const plain = await readIntent(api, id)
    const answer = await api.call({
      path: `/v1/payment_intents/${id}`,
      headers: {
        'stripe-account': 'acct_globex',
        'stripe-context': 'globex',
        'stripe-version': '1999-01-01',
        'x-stripe-client-telemetry': '{not json',
        'x-stripe-client-user-agent': '{"lang":"node"}',
        'accept-version': '2.0.0',
        'request-id': 'req_mine',
        'x-request-id': 'req_mine',
      },
    })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: plain.text })
    expect(answer).toHaveRequestId()
    expect(Object.keys(answer.headers).filter((name) => /version|stripe|account/.test(name))).toEqual([])
  })
})

test.each(everyCall)(
  '%s is kept by no cache and read as what it is, answered or refused',
  async (_, call) => {
    const answers = [await api.call(call), await api.call({ ...call, token: null })]
    for (const { headers } of answers) {
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  },
)

test('a token without the required scope is refused with that reason', async () => {
  const token = await api.tokenFor('acme', ['payments:read'])
  const answer = await api.call(createCall(intentForm, { token }))
  expect([answer.status, answer.headers['www-authenticate']]).toEqual([
    403,
    'Bearer error="insufficient_scope"',
  ])
})
