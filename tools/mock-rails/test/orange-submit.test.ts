import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { core, START_MS, startRails } from './mtn-client.ts'
import { ask, invalidField, newOrderId, open, refused, webPayment } from './orange-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const missingField = (field: string) =>
  refused(
    400,
    23,
    'Missing body field',
    `Key: 'WebPaymentInfo.${field}' Error:Field validation for '${field}' failed on the 'required' tag`,
  )

describe('an accepted payment', () => {
  test('is answered with 201, three tokens and nothing else', async () => {
    const answer = await open(rails)
    expect(core(answer)).toEqual({
      status: 201,
      body: {
        status: 201,
        message: 'OK',
        pay_token: expect.stringMatching(/^[0-9a-f]{64}$/),
        payment_url: `${rails.wireUrl}/payment/pay_token/${answer.payToken}`,
        notif_token: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    })
  })

  test('appears in the control plane with all that was sent', async () => {
    const { orderId, payToken, notifToken, url } = await open(rails, { body: { lang: 'en' } })
    expect(await rails.control.findCharge(orderId)).toEqual({
      rail: 'orange',
      reference: orderId,
      externalId: 'Shop',
      environment: 'cm',
      amount: '1000',
      movedAmount: null,
      currency: 'XAF',
      lang: 'en',
      returnUrl: 'http://127.0.0.1:9/return?s=1',
      cancelUrl: 'http://127.0.0.1:9/cancel',
      callbackUrl: 'http://127.0.0.1:9/notify',
      payToken,
      notifToken,
      paymentUrl: url,
      submittedAtMs: START_MS,
      expiresAtMs: START_MS + 10 * 60 * 1000,
      scenario: 'other',
      state: 'INITIATED',
      reason: null,
      msisdn: null,
      txnid: null,
      finalAtMs: null,
      isNotified: false,
      statusQueries: 0,
      queriesToSpoil: 0,
    })
  })

  test('prompts no handset', async () => {
    await open(rails)
    expect(await rails.control.listPrompts()).toEqual([])
  })

  test('shows its page under the host that the merchant called', async () => {
    const { port } = new URL(rails.wireUrl)
    const named = { ...rails, wireUrl: `http://localhost:${port}` }
    const answer = await open(named)
    expect(answer.url).toBe(`http://localhost:${port}/payment/pay_token/${answer.payToken}`)
  })

  test('may use the maximum of every limit', async () => {
    const url = (path: string) => `https://shop.example/${path}`.padEnd(120, 'x')
    const body = {
      order_id: newOrderId().padEnd(30, 'x'),
      reference: 'r'.repeat(30),
      return_url: url('return'),
      cancel_url: url('cancel'),
      notif_url: url('notify'),
    }
    expect((await open(rails, { body })).status).toBe(201)
  })
})

describe('a field', () => {
  test.each([
    ['merchant_key', 'MerchantKey'],
    ['currency', 'Currency'],
    ['order_id', 'OrderId'],
    ['amount', 'Amount'],
    ['return_url', 'ReturnUrl'],
    ['cancel_url', 'CancelUrl'],
    ['notif_url', 'NotifUrl'],
    ['lang', 'Lang'],
    ['reference', 'Reference'],
  ])('%s is required', async (name, field) => {
    for (const value of [undefined, null, '']) {
      expect(core(await open(rails, { body: { [name]: value } }))).toEqual(missingField(field))
    }
  })

  test('is reported together with other missing fields', async () => {
    const answer = await open(rails, { body: { lang: '', reference: '' } })
    const { description } = answer.body as { description: string }
    expect(description.split('\n')).toEqual([
      expect.stringContaining('WebPaymentInfo.Lang'),
      expect.stringContaining('WebPaymentInfo.Reference'),
    ])
  })

  test.each([
    ['order_id', 'x'.repeat(31)],
    ['order_id', 7],
    ['reference', 'x'.repeat(31)],
    ['amount', '1000'],
    ['amount', 10.5],
    ['amount', -1],
    ['amount', 2 ** 53],
    ['lang', 'de'],
    ['return_url', `https://shop.example/${'x'.repeat(100)}`],
    ['cancel_url', `https://shop.example/${'x'.repeat(100)}`],
    ['notif_url', `https://shop.example/${'x'.repeat(100)}`],
    ['return_url', '/return'],
    ['cancel_url', 'javascript:alert(1)'],
    ['notif_url', 'ftp://shop.example/'],
  ])('%s may not be %j', async (name, value) => {
    const answer = await open(rails, { body: { [name]: value } })
    expect(core(answer)).toEqual(invalidField(expect.stringMatching(new RegExp(`^${name}: .`))))
    expect(await rails.control.listCharges()).toEqual([])
  })

  test('that is unknown is ignored', async () => {
    expect((await open(rails, { body: { colour: 'red' } })).status).toBe(201)
  })
})

describe('the currency', () => {
  test.each([
    ['dev', 'OUV', 'XAF'],
    ['cm', 'XAF', 'OUV'],
  ] as const)('of %s is %s, not %s', async (environment, right, wrong) => {
    const answer = await open(rails, { environment, body: { currency: wrong } })
    expect(core(answer)).toEqual(invalidField(`currency: not ${right}`))
    expect((await open(rails, { environment, body: { currency: right } })).status).toBe(201)
  })
})

test('a wrong merchant_key is denied', async () => {
  expect(core(await open(rails, { body: { merchant_key: 'guess' } }))).toEqual(
    refused(
      403,
      50,
      'Access denied',
      'The application that makes the request is not authorized to access this endpoint.',
    ),
  )
})

describe('an order_id', () => {
  test('is used up for ever, in either segment, whatever happened to it', async () => {
    const { orderId } = await open(rails)
    const again = () => open(rails, { body: { order_id: orderId } })
    expect(core(await again())).toEqual(invalidField('order_id: already used'))
    await rails.control.refuseCharge(orderId)
    expect(core(await again())).toEqual(invalidField('order_id: already used'))
    const elsewhere = await open(rails, { environment: 'dev', body: { order_id: orderId, currency: 'OUV' } })
    expect(core(elsewhere)).toEqual(invalidField('order_id: already used'))
  })

  test('of a refused submit can be used again', async () => {
    const order_id = newOrderId()
    await open(rails, { body: { order_id, lang: 'de' } })
    expect((await open(rails, { body: { order_id } })).status).toBe(201)
  })

  test('opens one payment however often and however concurrently it is sent', async () => {
    const order_id = newOrderId()
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(rails, { body: { order_id } })))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
    expect(await rails.control.listCharges()).toHaveLength(1)
  })

  test('differs by case', async () => {
    const lower = await open(rails, { body: { order_id: 'order-a' } })
    const upper = await open(rails, { body: { order_id: 'ORDER-A' } })
    expect([lower.status, upper.status]).toEqual([201, 201])
    expect(await rails.control.findCharge('ORDER-A')).toMatchObject({ payToken: upper.payToken })
  })
})

describe('strict URLs', () => {
  const send = (url: string) => open(rails, { body: { return_url: url, cancel_url: url, notif_url: url } })
  beforeEach(() => rails.control.updateSettings({ orange: { strictUrls: true } }))

  test.each([
    'http://shop.example/return',
    'https://localhost/return',
    'https://shop.localhost./return',
    'https://127.0.0.1/return',
    'https://192.168.1.7/return',
    'https://[::1]/return',
    'https://0x7f000001/return',
  ])('refuse %s', async (url) => {
    expect(core(await send(url))).toEqual(invalidField('return_url: not a URL that Orange takes'))
  })

  test('accept https on a public host name', async () => {
    expect((await send('https://shop.example/return')).status).toBe(201)
  })
})

describe('the call log', () => {
  test('has the order, and not the merchant key', async () => {
    const body = webPayment()
    const paid = await open(rails, { text: JSON.stringify(body) })
    const sent = { orderId: String(body['order_id']), amount: 1000, payToken: paid.payToken }
    await ask(rails, sent)
    const calls = await rails.control.listCalls()
    expect(calls.map(({ operation, reference, why }) => ({ operation, reference, why }))).toEqual([
      { operation: 'orange_token', reference: null, why: null },
      { operation: 'orange_submit', reference: sent.orderId, why: null },
      { operation: 'orange_token', reference: null, why: null },
      { operation: 'orange_status', reference: sent.orderId, why: null },
    ])
    expect(calls[1]?.body).toBe(JSON.stringify({ ...body, merchant_key: '***' }))
  })

  test('has the reason of a refused submit', async () => {
    await open(rails, { body: { merchant_key: 'guess' } })
    expect(await rails.control.listCalls({ operation: 'orange_submit' })).toMatchObject([
      { status: 403, why: 'wrong merchant_key' },
    ])
  })
})
