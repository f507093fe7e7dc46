import { createRequire } from 'node:module'
import { Stripe } from 'stripe'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { PUSH_RAIL, settle, startTestApi } from '../harness.ts'
import { confirmCall, numberOf } from '../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

// Their types declare the module `stripe` once more, and would change those of the newest version.
const require = createRequire(import.meta.url)
const Stripe17 = require('stripe-17') as typeof Stripe
const Stripe20 = require('stripe-20') as typeof Stripe

/** Every request that reached the service. */
const seen: string[] = []
api.app.server.on('request', ({ method, url }) => seen.push(`${method} ${url}`))
beforeEach(() => {
  seen.length = 0
})

/** Sets the Authorization header, and changes nothing else of the client's request (spec 9.4). */
const authenticator =
  (token: () => Promise<string>) => async (request: { headers: Record<string, unknown> }) => {
    request.headers['Authorization'] = `Bearer ${await token()}`
  }

const { hostname, port } = new URL(api.origin)
const clientOf = (token: () => Promise<string>, Client = Stripe) =>
  new Client('', {
    authenticator: authenticator(token),
    host: hostname,
    port,
    protocol: 'http',
    telemetry: false,
  })
const stripe = clientOf(() => api.tokenFor('acme'))

const terms = {
  amount: 5000,
  currency: 'xaf',
  payment_method_types: [PUSH_RAIL],
} as Stripe.PaymentIntentCreateParams
const create = (more: object = {}) => stripe.paymentIntents.create({ ...terms, ...more })

const confirm = (id: string, msisdn: string) =>
  stripe.paymentIntents.confirm(id, {
    payment_method_data: { type: PUSH_RAIL, [PUSH_RAIL]: { msisdn } },
  })

const refusalOf = async (call: Promise<unknown>): Promise<Stripe.errors.StripeError> => {
  try {
    await call
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the client of the compatible API, unmodified', () => {
  test('creates, retrieves, confirms, cancels and reads events [§1.2, §9.3]', async () => {
    const created = await create({ metadata: { order: '42' }, description: 'é & +=%' })
    expect(created).toMatchObject({
      status: 'requires_payment_method',
      metadata: { order: '42' },
      description: 'é & +=%',
    })
    expect(created.lastResponse).toMatchObject({ statusCode: 201, requestId: expect.stringMatching(/^req_/) })
    expect(await stripe.paymentIntents.retrieve(created.id, { expand: ['customer'] })).toEqual(created)

    expect(await confirm(created.id, '+237 6 70 00 00 01')).toMatchObject({
      id: created.id,
      status: 'processing',
    })
    await settle(api)
    expect(await stripe.paymentIntents.retrieve(created.id)).toMatchObject({ status: 'succeeded' })

    const other = await create()
    expect(await stripe.paymentIntents.cancel(other.id, { cancellation_reason: 'duplicate' })).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'duplicate',
    })
    const bare = await create()
    expect(await stripe.paymentIntents.cancel(bare.id)).toMatchObject({ cancellation_reason: null })

    const { data: events } = await stripe.events.list({ limit: 3 })
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.canceled',
      'payment_intent.canceled',
      'payment_intent.succeeded',
    ])
    expect(await stripe.events.retrieve(events[2]?.id ?? '')).toEqual(events[2])
    expect(seen.filter((line) => line.startsWith('POST'))).toHaveLength(6)
  })

  test('creates, lists, retrieves and expires checkout sessions', async () => {
    const created = await stripe.checkout.sessions.create({
      amount: 5000,
      currency: 'xaf',
      payment_method_types: [PUSH_RAIL],
      ui_mode: 'hosted_page',
      success_url: 'https://shop.test/thanks?session_id={CHECKOUT_SESSION_ID}',
    } as unknown as Stripe.Checkout.SessionCreateParams)
    expect(created).toMatchObject({ object: 'checkout.session', status: 'open', ui_mode: 'hosted' })
    expect(created.success_url).toContain('{CHECKOUT_SESSION_ID}')
    const { lastResponse: _, ...read } = await stripe.checkout.sessions.retrieve(created.id)
    expect({ ...read }).toMatchObject({
      id: created.id,
      url: created.url,
      client_secret: created.client_secret,
    })
    const listed = await stripe.checkout.sessions.list({ limit: 1 })
    expect(listed.data.map(({ id }) => id)).toEqual([created.id])
    expect(await stripe.checkout.sessions.expire(created.id)).toMatchObject({ status: 'expired', url: null })
    const refused = await refusalOf(stripe.checkout.sessions.expire(created.id))
    expect(refused).toMatchObject({ statusCode: 409, code: 'session_not_open' })
    const items = { line_items: [{ price: 'price_1', quantity: 1 }], success_url: 'https://shop.test/' }
    expect(await refusalOf(stripe.checkout.sessions.create(items))).toMatchObject({ param: 'line_items' })
  })

  test('reads all pages in both directions [§9.3]', async () => {
    const ids: string[] = []
    for (let n = 0; n < 7; n += 1) ids.push((await create()).id)
    const walked = await stripe.paymentIntents.list({ limit: 3 }).autoPagingToArray({ limit: 100 })
    expect(walked.slice(0, 7).map(({ id }) => id)).toEqual(ids.toReversed())
    expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length)
    const newer = await stripe.paymentIntents
      .list({ limit: 3, ending_before: ids[0] ?? '' })
      .autoPagingToArray({ limit: 100 })
    expect(newer.map(({ id }) => id)).toEqual(ids.slice(1))
  })

  test('gets a 409 once, because it reads the alias of the retry header', async () => {
    const { id } = await create()
    await stripe.paymentIntents.cancel(id)
    seen.length = 0
    const refusal = await refusalOf(stripe.paymentIntents.cancel(id))
    expect(refusal).toMatchObject({
      statusCode: 409,
      code: 'intent_canceled',
      requestId: expect.stringMatching(/^req_/),
    })
    expect(seen).toEqual([`POST /v1/payment_intents/${id}/cancel`])
  })

  test('retries a 502 with its own key until the charge is being resolved', async () => {
    const { id } = await create()
    seen.length = 0
    const refusal = await refusalOf(confirm(id, numberOf('acceptedThenReset')))
    expect(refusal).toMatchObject({ statusCode: 409, code: 'charge_in_progress' })
    expect(seen).toHaveLength(2)
  })

  test('retries a request in flight until it gets the first one’s answer [§9.3]', async () => {
    const { id } = await create()
    const form = `payment_method_data[type]=${PUSH_RAIL}&payment_method_data[${PUSH_RAIL}][msisdn]=${numberOf('waitsForThePayer')}`
    api.wire.hold()
    const first = api.call({ ...confirmCall(id), form, key: 'shared' })
    await api.wire.held()
    seen.length = 0
    const retried = stripe.paymentIntents.confirm(
      id,
      {
        payment_method_data: { type: PUSH_RAIL, [PUSH_RAIL]: { msisdn: numberOf('waitsForThePayer') } },
      },
      { idempotencyKey: 'shared' },
    )
    // Its second request shows that its first one was refused.
    await expect.poll(() => seen.length).toBeGreaterThan(1)
    api.wire.release()
    expect(await retried).toMatchObject({ id, status: 'processing' })
    expect((await first).body).toMatchObject({ id, status: 'processing' })
  })

  test('maps class, code and parameter of each refusal, and sends it once [§9.3]', async () => {
    const { errors } = Stripe
    const cases: [() => Promise<unknown>, typeof errors.StripeError, object][] = [
      [() => create({ amount: 1.5 }), errors.StripeInvalidRequestError, { statusCode: 400, param: 'amount' }],
      [
        () => create({ payment_method_types: [] }),
        errors.StripeInvalidRequestError,
        { param: 'payment_method_types' },
      ],
      [() => create({ confirm: true }), errors.StripeInvalidRequestError, { param: 'confirm' }],
      [
        () => stripe.paymentIntents.retrieve('pi_x'),
        errors.StripeInvalidRequestError,
        { statusCode: 404, code: 'resource_missing' },
      ],
      [
        () => stripe.balance.retrieve(),
        errors.StripeInvalidRequestError,
        { statusCode: 404, code: 'unknown_route' },
      ],
      [
        () => stripe.paymentIntents.search({ query: 'x' }),
        errors.StripeInvalidRequestError,
        { code: 'unknown_route' },
      ],
      [
        () => stripe.paymentIntents.capture('pi_x'),
        errors.StripeInvalidRequestError,
        { code: 'unknown_route' },
      ],
      [
        () => stripe.paymentIntents.list({ customer: 'cus_x' }),
        errors.StripeInvalidRequestError,
        { param: 'customer' },
      ],
      [
        () => clientOf(async () => 'garbage').paymentIntents.list(),
        errors.StripeAuthenticationError,
        { statusCode: 401, code: 'authentication_error' },
      ],
      [
        () => clientOf(() => api.tokenFor('acme', ['payments:read'])).paymentIntents.cancel('pi_x'),
        errors.StripePermissionError,
        { statusCode: 403, code: 'forbidden' },
      ],
    ]
    for (const [call, type, facts] of cases) {
      seen.length = 0
      const refusal = await refusalOf(call())
      expect(refusal).toBeInstanceOf(type)
      expect(refusal).toMatchObject(facts)
      expect(seen).toHaveLength(1)
    }
  })

  test('reports a key of another request as its idempotency error', async () => {
    const options = { idempotencyKey: 'once' }
    const params = {
      amount: 1,
      currency: 'xaf',
      payment_method_types: [PUSH_RAIL],
    } as Stripe.PaymentIntentCreateParams
    await stripe.paymentIntents.create(params, options)
    const refusal = await refusalOf(stripe.paymentIntents.create({ ...params, amount: 2 }, options))
    expect(refusal).toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
  })

  test('an update, which does not exist, is a 405 with a request id', async () => {
    seen.length = 0
    const refusal = await refusalOf(stripe.paymentIntents.update('pi_x', { description: 'x' }))
    expect(refusal.requestId).toMatch(/^req_/)
    expect(seen).toHaveLength(1)
  })
})

describe('without retries', () => {
  test.each([
    ['17', Stripe17],
    ['20', Stripe20],
  ])(
    'the client %s sends no key, and is told so, once, unless the call gives one [§4]',
    async (_, Client) => {
      const { paymentIntents } = clientOf(() => api.tokenFor('acme'), Client)
      seen.length = 0
      const refusal = await paymentIntents
        .create(terms, { maxNetworkRetries: 0 })
        .catch((error: unknown) => error)
      expect(refusal).toMatchObject({ statusCode: 400, code: 'invalid_request', param: 'idempotency_key' })
      expect(seen).toHaveLength(1)
      const options = { maxNetworkRetries: 0, idempotencyKey: `of ${Client.PACKAGE_VERSION}` }
      expect(await paymentIntents.create(terms, options)).toMatchObject({ status: 'requires_payment_method' })
      expect(await paymentIntents.create(terms)).toMatchObject({ status: 'requires_payment_method' })
    },
  )

  test('the newest client sends a key', async () => {
    const created = await stripe.paymentIntents.create(terms, { maxNetworkRetries: 0 })
    expect(created).toMatchObject({ status: 'requires_payment_method' })
  })
})
