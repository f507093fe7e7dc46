import { afterAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL, startTestApi, type TestAnswer, type TestCall } from '../harness.ts'
import { createCall, createIntent, eventsOf, canceledIntent } from '../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

type Method = NonNullable<TestCall['method']>
const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']

/** Every routed path of these surfaces with its methods (spec 4). */
const routes: readonly [string, readonly Method[]][] = [
  ['/healthz', ['GET', 'HEAD']],
  ['/v1/oauth/token', ['POST']],
  ['/v1/oauth/.well-known/openid-configuration', ['GET', 'HEAD']],
  ['/v1/oauth/jwks.json', ['GET', 'HEAD']],
  ['/v1/payment_intents', ['GET', 'HEAD', 'POST']],
  ['/v1/payment_intents/pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', ['GET', 'HEAD']],
  ['/v1/payment_intents/pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/confirm', ['POST']],
  ['/v1/payment_intents/pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/cancel', ['POST']],
  ['/v1/checkout/sessions', ['GET', 'HEAD', 'POST']],
  ['/v1/checkout/sessions/cs_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', ['GET', 'HEAD']],
  ['/v1/checkout/sessions/cs_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/expire', ['POST']],
  ['/v1/customers', ['GET', 'HEAD', 'POST']],
  ['/v1/customers/cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', ['GET', 'HEAD', 'POST', 'DELETE']],
  ['/v1/invoices', ['GET', 'HEAD', 'POST']],
  ['/v1/invoices/in_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
  ['/v1/invoices/in_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/finalize', ['POST']],
  ['/v1/invoices/in_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/void', ['POST']],
  ['/v1/invoices/in_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/mark_uncollectible', ['POST']],
  ['/v1/invoices/in_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/pay', ['POST']],
  ['/v1/invoice_items', ['POST']],
  ['/v1/invoice_items/ii_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
  ['/v1/refunds', ['GET', 'HEAD', 'POST']],
  ['/v1/refunds/re_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', ['GET', 'HEAD', 'POST']],
  ['/v1/refunds/re_0193f2d5e0a07c3e9b1a2b3c4d5e6f70/cancel', ['POST']],
  ['/v1/account_holders', ['GET', 'HEAD']],
  ['/v1/events', ['GET', 'HEAD']],
  ['/v1/events/evt_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', ['GET', 'HEAD']],
  [`/provider/${PUSH_RAIL}/callback`, ['POST', 'PUT']],
]

describe('405', () => {
  const wrong = routes.flatMap(([path, allowed]) =>
    methods.filter((method) => !allowed.includes(method)).map((method) => ({ method, path, allowed })),
  )

  test.each(wrong)('$method $path [§4, §7.1]', async ({ method, path, allowed }) => {
    const requests: TestCall[] = [
      { method, path },
      { method, path, token: null, key: null },
      { method, path: `${path}?a=b` },
      { method, path, form: '{"a":', headers: { 'content-type': 'application/json' }, token: null },
      { method, path, form: '{"a":', headers: { 'content-type': ';;' }, token: null },
    ]
    for (const request of requests) {
      const answer = await api.call(request)
      expect(answer).toBeBare(405)
      expect(answer.headers.allow?.split(', ').sort()).toEqual([...allowed].sort())
    }
  })
})

describe('an unrouted path', () => {
  const unrouted = [
    '/v1/balance',
    '/v1/charges',
    '/v1/invoiceitems',
    '/v1/payment_intents/search',
    '/v1/payment_intents/search?query=x',
    '/v1/events/search',
    '/v1/checkout',
    '/v1/checkout/sessions/search',
    '/v1/checkout/sessions/cs_1/line_items',
    '/v1/invoices/search',
    '/v1/invoices/in_1/lines',
    '/v1/invoices/in_1/send',
    '/v1/payment_intents/',
    '/v1/payment_intents//confirm',
    '/v1//payment_intents',
    '/v1/Payment_Intents',
    '/v1/payment_intents/pi_1/capture',
    '/v1/payment_intents/pi_1/confirm/',
    '/v1/payment_intents/pi_1/confirm/x',
    '/v1/payment_intents/pi_1%2Fconfirm/x',
    '/v1/events/evt_1/retry',
    '/v1/oauth/authorize',
    '/v1/oauth/token/x',
    '/v1/',
    '/v1/..%2fhealthz',
    '/v1/%00',
    '/v1/%zz',
    '/v1/%73%zz?a=b',
    '/v1/payment_intents/pi_1/%FF',
  ]
  test.each(unrouted)(
    '%s is 404 for a merchant, by any method [§4, §4.2, §6.3.8, §7.2, §9.3]',
    async (path) => {
      for (const method of methods.filter((method) => method !== 'HEAD')) {
        expect(await api.call({ method, path })).toBeRefusal('unknown_route')
      }
      expect(await api.call({ method: 'HEAD', path })).toMatchObject({ status: 404, text: '' })
    },
  )

  test('an encoded letter does not make a reserved word an id', async () => {
    expect(await api.call({ path: '/v1/payment_intents/%73earch' })).toBeRefusal('unknown_route')
  })

  test.each(['application/json', ';;', ''])(
    'the 404 comes before scope, key and body, whose type is %j',
    async (type) => {
      const token = await api.tokenFor('acme', ['payments:read'])
      const headers = { 'content-type': type }
      for (const path of ['/v1/balance', '/v1/payment_intents/search']) {
        expect(await api.call({ path, form: '{"a":', headers, token, key: null })).toBeRefusal(
          'unknown_route',
        )
      }
    },
  )

  test.each([
    '/',
    '/favicon.ico',
    '/healthz/',
    '/readyz',
    '/metrics',
    '/provider/x',
    '/.env',
    '/v2/x',
    '/%zz',
    '/%',
  ])('%s outside every surface is 404, with or without a token', async (path) => {
    expect(await api.call({ path })).toBeRefusal('unknown_route')
    expect(await api.call({ path, token: null })).toBeRefusal('unknown_route')
    expect(await api.call({ path, form: 'a=b', token: null })).toBeRefusal('unknown_route')
  })
})

describe('a request that cannot be decoded gets the answer of its surface', () => {
  const undecodable = ['%zz', '%', '%FF', 'pi_%C0%80', '%ED%A0%80']

  test.each(undecodable)('/v1/payment_intents/%s is a 401, then an id that no intent has', async (id) => {
    const path = `/v1/payment_intents/${id}`
    expect(await api.call({ path, token: null })).toBeRefusal('authentication_error')
    const unknown = await api.call({ path: '/v1/payment_intents/pi_1' })
    expect(await api.call({ path })).toMatchObject({ status: 404, text: unknown.text })
    expect(await api.call({ method: 'DELETE', path })).toBeBare(405)
  })

  test.each(['', ';;', 'text', 'undefined', 'text/', 'te xt/plain;a=b'])(
    'a body of type %j is a 401, then not a form [§7.2]',
    async (type) => {
      const headers = { 'content-type': type }
      expect(await api.call(createCall(undefined, { headers, token: null }))).toBeRefusal(
        'authentication_error',
      )
      expect(await api.call(createCall(undefined, { headers }))).toBeRefusal('invalid_request')
    },
  )

  test('a type that cannot be read is not missed where there is no body', async () => {
    const { id } = await createIntent(api)
    const headers = { 'content-type': ';;' }
    const answer = await api.call({ method: 'POST', path: `/v1/payment_intents/${id}/cancel`, headers })
    expect(answer).toMatchObject({ status: 200 })
  })
})

describe('HEAD', () => {
  const own = ['request-id', 'x-request-id', 'date']
  const shared = ({ status, text, headers }: TestAnswer) => ({
    status,
    text,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name))),
  })

  test('is GET without the body, on every route with GET', async () => {
    const { id } = await createIntent(api)
    const canceled = await canceledIntent(api)
    const [event] = await eventsOf(api, canceled.id)
    const paths = [
      '/healthz',
      '/v1/oauth/jwks.json',
      '/v1/oauth/.well-known/openid-configuration',
      '/v1/payment_intents?limit=2',
      '/v1/payment_intents?limit=x',
      `/v1/payment_intents/${id}`,
      '/v1/payment_intents/x',
      '/v1/events',
      `/v1/events/${event?.id}`,
    ]
    for (const path of paths) {
      const [get, head] = [await api.call({ path }), await api.call({ method: 'HEAD', path })]
      expect({ path, ...shared(head) }).toEqual({ path, ...shared({ ...get, text: '' }) })
      expect(head).toHaveRequestId()
    }
  })

  test('requires a token if GET does', async () => {
    for (const path of ['/v1/payment_intents', '/v1/payment_intents/x', '/v1/events', '/v1/balance']) {
      const answer = await api.call({ method: 'HEAD', path, token: null })
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 401, text: '' })
    }
  })
})

describe('/healthz', () => {
  test('answers anyone [§1.7]', async () => {
    for (const token of [null, undefined, 'garbage']) {
      const answer = await api.call({ path: '/healthz', ...(token === undefined ? {} : { token }) })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { status: 'ok' } })
      expect(answer).toHaveRequestId()
    }
  })
})

describe('a path in another spelling', () => {
  test.each([
    ['an encoded letter', (id: string) => `/v1/payment_intents/${id.replace('p', '%70')}`],
    ['a query after an id', (id: string) => `/v1/payment_intents/${id}?`],
    ['a fragment mark in the query', (id: string) => `/v1/payment_intents/${id}?a=%23`],
  ])('%s reaches the same intent', async (_, spell) => {
    const { id } = await createIntent(api)
    expect((await api.call({ path: spell(id) })).body.id).toBe(id)
  })

  test('a POST without body or type is valid if nothing is required', async () => {
    const { id } = await createIntent(api)
    const answer = await api.call({ method: 'POST', path: `/v1/payment_intents/${id}/cancel` })
    expect(answer).toMatchObject({ status: 200 })
  })

  test('an empty JSON type without a body is not a JSON body', async () => {
    const { id } = await createIntent(api)
    const headers = { 'content-type': 'application/json' }
    const answer = await api.call({ method: 'POST', path: `/v1/payment_intents/${id}/cancel`, headers })
    expect(answer).toMatchObject({ status: 200 })
  })

  test('the type of a form is read in any case, and with its charset', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'Application/X-WWW-Form-URLencoded',
      'application/x-www-form-urlencoded; charset=utf-8',
      'application/x-www-form-urlencoded;charset="UTF-8"',
    ]) {
      expect((await api.call(createCall(undefined, { headers: { 'content-type': type } }))).status).toBe(201)
    }
  })
})
