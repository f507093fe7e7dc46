import type { PaymentIntent } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { ORANGE_RAIL, startTestApi, type TestCall } from './harness.ts'
import { openOrange } from './orange.ts'
import { chargesOf, chargeStatesOf } from './rows.ts'
import { eventTypesOf, withoutSecret } from './steps.ts'

const api = await startTestApi()
const orange = await openOrange(api)
afterAll(async () => {
  await orange.stop()
  await api.stop()
})

const returnUrl = 'https://shop.example/orders/42'
const instrument = `payment_method_data[${ORANGE_RAIL}]`
const confirmForm = `${instrument}=&return_url=${encodeURIComponent(returnUrl)}`

async function createIntent(): Promise<PaymentIntent> {
  const form = `amount=5000&currency=XAF&payment_method_types[0]=${ORANGE_RAIL}`
  const answer = await orange.call({ path: '/v1/payment_intents', form })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

const confirm = ({ id }: PaymentIntent, form = confirmForm, more: Partial<TestCall> = {}) =>
  orange.call({ path: `/v1/payment_intents/${id}/confirm`, form, ...more })

const read = async ({ id }: PaymentIntent): Promise<PaymentIntent> =>
  (await orange.call({ path: `/v1/payment_intents/${id}` })).body

/** A processing intent and its order at the operator. */
async function confirmed() {
  const intent = await createIntent()
  const answer = await confirm(intent)
  expect(answer).toMatchObject({ status: 200 })
  return { intent, order: newestOrder() }
}

function newestOrder() {
  const order = orange.orders.at(-1)
  if (order === undefined) throw new Error('the operator has no order')
  return order
}

const redirectTo = (url: string) => ({
  type: 'redirect_to_url',
  redirect_to_url: { url, return_url: returnUrl },
})

describe('a confirm', () => {
  test('sends the payer to the rail’s page, which every read shows while the payment is processing [§1.4]', async () => {
    const intent = await createIntent()
    const answer = await confirm(intent)
    const { url } = newestOrder()
    const processing = { ...intent, status: 'processing', next_action: redirectTo(url) }
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: withoutSecret(processing as PaymentIntent),
    })
    expect(await read(intent)).toEqual(processing)
  })

  test('sends the rail one return address, and the callback address', async () => {
    const { intent, order } = await confirmed()
    const [charge] = await chargesOf(api, intent.id)
    expect(order.fields).toEqual({
      merchant_key: 'merchant-key',
      currency: 'XAF',
      order_id: charge?.reference,
      amount: 5000,
      return_url: returnUrl,
      cancel_url: returnUrl,
      notif_url: `http://api.test/provider/${ORANGE_RAIL}/callback?ref=${charge?.reference}`,
      lang: 'fr',
      reference: charge?.reference,
    })
    expect(JSON.stringify(order.fields)).not.toContain(intent.client_secret)
  })

  test('repeated with its key has the same page', async () => {
    const intent = await createIntent()
    const key = `key-of-${intent.id}`
    const first = await confirm(intent, confirmForm, { key })
    const again = await confirm(intent, confirmForm, { key })
    expect(again.text).toBe(first.text)
    expect(again.body.next_action).toEqual(redirectTo(newestOrder().url))
    expect(await chargesOf(api, intent.id)).toHaveLength(1)
  })

  test('repeated with its key has the same bytes, and no secret is filled into what was sent [§8]', async () => {
    const intent = await createIntent()
    const [beginning = ''] = /^.*_secret_\d+v/.exec(intent.client_secret ?? '') ?? []
    const form = `${instrument}=&return_url=${encodeURIComponent(`https://shop.example/?a=${beginning}&b`)}`
    const key = `key-of-${intent.id}`
    const first = await confirm(intent, form, { key })
    expect(first.text).toContain(`a=${beginning}&b`)
    expect(await confirm(intent, form, { key })).toReplay(first)
  })

  test('may include a number, which is stored in canonical form and not sent to the rail', async () => {
    const intent = await createIntent()
    await confirm(intent, `${instrument}[msisdn]=6+90+00+00+01&return_url=${returnUrl}`)
    expect(await chargesOf(api, intent.id)).toMatchObject([{ status: 'live', payer_msisdn: '237690000001' }])
    expect(JSON.stringify(newestOrder().fields)).not.toContain('690000001')
  })

  const long = (length: number) => 'https://shop.example/'.padEnd(length, 'x')
  test.each([
    ['no address to return to', `${instrument}=`, 'return_url'],
    ['an empty one', `${instrument}=&return_url=`, 'return_url'],
    ['an invalid one', `${instrument}=&return_url=shop.example`, 'return_url'],
    ['a script', `${instrument}=&return_url=javascript:alert(1)`, 'return_url'],
    ['one longer than the rail takes', `${instrument}=&return_url=${long(121)}`, 'return_url'],
    ['an invalid number', `${instrument}[msisdn]=12&return_url=${returnUrl}`, `${instrument}[msisdn]`],
  ])('with %s is refused by name, and the rail hears of nothing', async (_case, form, param) => {
    const intent = await createIntent()
    const before = orange.orders.length
    const answer = await confirm(intent, form)
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 400,
      error: {
        type: 'invalid_request_error',
        code: 'invalid_request',
        message: expect.any(String),
        param,
      },
    })
    expect(await chargesOf(api, intent.id)).toEqual([])
    expect(orange.orders).toHaveLength(before)
    expect(await read(intent)).toEqual(intent)
  })

  test('accepts an address of exactly the rail’s maximum length', async () => {
    const intent = await createIntent()
    const answer = await confirm(intent, `${instrument}=&return_url=${long(120)}`)
    expect(answer).toMatchObject({ status: 200 })
    expect(newestOrder().fields).toMatchObject({ return_url: long(120) })
  })
})

describe('the page is no longer shown', () => {
  test('after the payer has paid', async () => {
    const { intent, order } = await confirmed()
    order.status = 'SUCCESS'
    await orange.settle()
    expect(await read(intent)).toEqual({ ...intent, status: 'succeeded' })
    expect(await eventTypesOf(api, intent.id)).toEqual(['payment_intent.succeeded'])
  })

  test.each([
    ['FAILED', 'declined'],
    ['EXPIRED', 'redirect_expired'],
  ] as const)('after the rail reports %s, and another can be opened', async (status, code) => {
    const { intent, order } = await confirmed()
    order.status = status
    await orange.settle()
    expect(await read(intent)).toEqual({
      ...intent,
      last_payment_error: {
        type: 'rail_error',
        code,
        decline_code: status,
        message: null,
        payment_method_type: ORANGE_RAIL,
      },
    })
    const again = await confirm(intent)
    expect(again.body).toMatchObject({ status: 'processing', last_payment_error: null })
    expect(again.body.next_action.redirect_to_url.url).not.toBe(order.url)
  })

  test('after the merchant has canceled; a payment on it still counts', async () => {
    const { intent, order } = await confirmed()
    const canceled = await orange.call({ method: 'POST', path: `/v1/payment_intents/${intent.id}/cancel` })
    expect(canceled.body).toMatchObject({ status: 'canceled', next_action: null })
    order.status = 'SUCCESS'
    await orange.settle()
    expect(await read(intent)).toEqual({ ...intent, status: 'succeeded' })
  })
})

test('a payer who is still on the page keeps the payment processing, also after the rail’s ten minutes', async () => {
  const { intent, order } = await confirmed()
  for (const status of ['INITIATED', 'PENDING'] as const) {
    order.status = status
    await orange.settle(15 * 60_000)
    expect(await read(intent)).toMatchObject({ status: 'processing', next_action: redirectTo(order.url) })
  }
})

test('a payment on a page that the rail reported as expired succeeds late', async () => {
  const { intent, order } = await confirmed()
  order.status = 'EXPIRED'
  await orange.settle()
  expect(await read(intent)).toMatchObject({ status: 'requires_payment_method', next_action: null })
  order.status = 'SUCCESS'
  await orange.settle()
  expect(await read(intent)).toEqual({ ...intent, status: 'succeeded' })
  expect(await eventTypesOf(api, intent.id)).toEqual([
    'payment_intent.payment_failed',
    'payment_intent.succeeded',
  ])
})

test('two tabs are sent to one page', async () => {
  const intent = await createIntent()
  const before = orange.orders.length
  const answers = await Promise.all([confirm(intent), confirm(intent)])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('charge_in_progress')
  expect(orange.orders).toHaveLength(before + 1)
  const winner = answers.find(({ status }) => status === 200)?.body
  expect(winner.next_action).toEqual(redirectTo(newestOrder().url))
  expect((await read(intent)).next_action).toEqual(winner.next_action)
})

test('an order whose answer was lost charges nobody: the next confirm sends the payer to another page', async () => {
  const intent = await createIntent()
  const before = orange.orders.length
  orange.loseNextAnswer()
  const key = `key-of-${intent.id}`
  const lost = await confirm(intent, confirmForm, { key })
  expect({ status: lost.status, error: lost.body.error.code }).toEqual({
    status: 502,
    error: 'provider_unavailable',
  })
  expect(await read(intent)).toEqual(intent)

  const answer = await confirm(intent, confirmForm, { key })

  expect(answer).toMatchObject({ status: 200 })
  const [first, second, ...others] = orange.orders.slice(before)
  expect(others).toEqual([])
  expect(second?.fields['order_id']).not.toBe(first?.fields['order_id'])
  expect(answer.body.next_action).toEqual(redirectTo(second?.url ?? ''))
  expect(await chargeStatesOf(api, intent.id)).toEqual(['abandoned', 'live'])
})

describe('a callback', () => {
  const callBack = (path: string, body: object) =>
    orange.call({
      method: 'POST',
      path,
      form: JSON.stringify(body),
      token: null,
      key: null,
      headers: { 'content-type': 'application/json' },
    })
  const path = `/provider/${ORANGE_RAIL}/callback`

  /** A payment whose next query is not due for a while. */
  async function waiting() {
    const { intent, order } = await confirmed()
    for (let pass = 0; pass < 7; pass += 1) await orange.settle()
    api.advance(5_000)
    order.status = 'SUCCESS'
    await orange.settle(0)
    expect(await read(intent)).toMatchObject({ status: 'processing' })
    return { intent, order }
  }

  test('with the token of the order makes the worker query at once', async () => {
    const { intent, order } = await waiting()
    const answer = await callBack(path, { status: 'SUCCESS', notif_token: order.notifToken, txnid: 'MP1' })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    expect(await read(intent)).toMatchObject({ status: 'processing' })
    await orange.settle(0)
    expect(await read(intent)).toEqual({ ...intent, status: 'succeeded' })
  })

  test('without a token is matched by the address that the rail got', async () => {
    const { intent, order } = await waiting()
    const { pathname, search } = new URL(String(order.fields['notif_url']))
    await callBack(`${pathname}${search}`, {})
    await orange.settle(0)
    expect(await read(intent)).toMatchObject({ status: 'succeeded' })
  })

  test('with a guessed token causes no query, and settles nothing', async () => {
    const { intent, order } = await waiting()
    const { asked } = order
    const answer = await callBack(path, { status: 'SUCCESS', notif_token: 'f'.repeat(32), txnid: 'MP1' })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    await orange.settle(0)
    expect(order.asked).toBe(asked)
    expect(await read(intent)).toMatchObject({ status: 'processing' })
  })
})
