import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi, type TestCall } from '../harness.ts'
import { createSession } from '../sessions.ts'
import { createIntent } from '../steps.ts'
import { browserOperations, operationCalls } from '../v1/operations.ts'
import { browserCall, confirmInBrowser, readInBrowser, readSessionInBrowser } from './calls.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const ID = 'pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
const paths = [
  ...new Set(browserOperations.map(({ path }) => path.replace('/v1/browser', '').replace('{id}', ID))),
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'] as const

test('exactly one route is not a GET [§1.6]', () => {
  expect(browserOperations.filter(({ method }) => method !== 'GET').map(({ id }) => id)).toEqual([
    'browser.paymentIntents.confirm',
  ])
})

describe('a separate surface', () => {
  test('no route of /v1 accepts a payer’s key and secret [§1.6]', async () => {
    const session = await createSession(api)
    const headers = {
      'publishable-key': 'pk_test_acme',
      'client-secret': session.client_secret ?? '',
    }
    for (const [name, call] of operationCalls) {
      const answer = await api.call({ ...call, token: null, headers })
      expect([name, answer.status]).toEqual([name, 401])
    }
    const bearer = { ...headers, authorization: `Bearer ${session.client_secret}` }
    const read: TestCall = {
      path: `/v1/payment_intents/${session.payment_intent}`,
      token: null,
      headers: bearer,
    }
    expect(await api.call(read)).toBeRefusal('authentication_error')
  })

  test('no route of /v1/browser accepts a merchant’s token alone [§1.6]', async () => {
    const { id } = await createIntent(api)
    for (const [path, extra] of [
      [`/payment_intents/${id}`, {}],
      [`/payment_intents/${id}/confirm`, { method: 'POST', form: '' }],
      [`/checkout/sessions/${(await createSession(api)).id}`, {}],
    ] as const) {
      expect(await api.call({ path: `/v1/browser${path}`, ...extra })).toBeRefusal('resource_missing')
    }
  })

  test.each([
    '',
    '/',
    '/payment_intents',
    '/payment_intents/',
    '/payment_intents/search',
    `/payment_intents/${ID}/cancel`,
    `/payment_intents/${ID}/confirm/x`,
    '/checkout/sessions',
    `/checkout/sessions/${ID}/expire`,
    '/customers',
    '/account_holders/x',
    '/events',
    '/nothing',
    '/%zz',
  ])('its own fallback answers %j: unknown_route, with or without a token [§1.6]', async (path) => {
    for (const method of methods.filter((method) => method !== 'HEAD')) {
      for (const token of [null, undefined, 'garbage']) {
        const answer = await api.call({
          method,
          path: `/v1/browser${path}`,
          ...(token === undefined ? {} : { token }),
        })
        expect([method, answer.status]).toEqual([method, 404])
        expect(answer).toBeRefusal('unknown_route')
        expect(answer.headers['access-control-allow-origin']).toBe('*')
      }
    }
  })

  test.each(paths.flatMap((path) => methods.map((method) => [method, path] as const)))(
    '%s %s is served, or a bare 405',
    async (method, path) => {
      const allowed = path.endsWith('/confirm') ? ['POST'] : ['GET', 'HEAD']
      const answer = await api.call({ method, path: `/v1/browser${path}`, token: null })
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      if (allowed.includes(method)) return expect(answer.status).toBe(404)
      expect(answer).toBeBare(405)
      expect(answer.headers.allow).toBe(allowed.join(', '))
    },
  )

  test('a large body is a bare 413 that a page can read', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const answer = await api.call(confirmInBrowser(id, secret, { form: `a=${'x'.repeat(64 * 1024)}` }))
    expect(answer).toBeBare(413)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })
})

describe('cross-origin calls', () => {
  const origin = 'https://shop.test'
  const exposed =
    'request-id, x-request-id, compat-should-retry, idempotent-replayed, date, stripe-should-retry'

  test('any page can read every answer and its headers, and none with cookies [§1.6]', async () => {
    const session = await createSession(api)
    const secret = session.client_secret
    const calls = [
      readInBrowser(session.payment_intent, secret),
      readSessionInBrowser(session.id, secret),
      confirmInBrowser(session.payment_intent, secret),
      readInBrowser(session.payment_intent, 'wrong'),
      browserCall('/nothing', { secret }),
    ]
    for (const call of calls) {
      const { headers } = await api.call({ ...call, headers: { ...call.headers, origin } })
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': exposed,
        'cache-control': 'no-store',
      })
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  test.each([
    `/payment_intents/${ID}`,
    `/payment_intents/${ID}/confirm`,
    `/checkout/sessions/${ID}`,
    '/nothing',
  ])('a preflight of %s is answered without credentials, and can be cached', async (path) => {
    const preflight = { origin, 'access-control-request-method': 'POST' }
    const answer = await api.call({
      method: 'OPTIONS',
      path: `/v1/browser${path}`,
      token: null,
      headers: preflight,
    })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': 'publishable-key, client-secret, idempotency-key, content-type',
      'access-control-max-age': '7200',
    })
    expect(answer).toHaveRequestId()
  })

  test('/v1 and the other surfaces answer no other origin', async () => {
    const preflight = { origin, 'access-control-request-method': 'POST' }
    for (const path of ['/v1/payment_intents', '/v1/oauth/token', '/healthz']) {
      const { headers } = await api.call({ method: 'OPTIONS', path, headers: preflight })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})
