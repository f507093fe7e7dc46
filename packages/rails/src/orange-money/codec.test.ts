import { describe, expect, test } from 'vitest'
import {
  mintOrderId,
  parseCallbackBody,
  parseCallbackQuery,
  readPage,
  renderOrder,
  renderStatusQuery,
  URL_CHARS_MAX,
} from './codec.ts'

const orderId = 'a3f0c1d2e4b5968778695a4b3c2d1e'
const bytes = (text: string) => new TextEncoder().encode(text)

describe('a request', () => {
  test('an order has every field that the rail requires, and one address for both ways back', () => {
    const order = {
      merchantKey: 'key-1',
      currency: 'XAF',
      orderId,
      amount: 4000,
      returnUrl: 'https://shop.example/back',
      notifUrl: `https://pay.example/provider/orange_money_cm/callback?ref=${orderId}`,
      lang: 'fr',
    } as const
    expect(JSON.parse(renderOrder(order))).toEqual({
      merchant_key: 'key-1',
      currency: 'XAF',
      order_id: orderId,
      amount: 4000,
      return_url: 'https://shop.example/back',
      cancel_url: 'https://shop.example/back',
      notif_url: `https://pay.example/provider/orange_money_cm/callback?ref=${orderId}`,
      lang: 'fr',
      reference: orderId,
    })
  })

  test('a status query has the three values of the order', () => {
    const charge = { reference: orderId, railToken: 'pay-1', amountMinor: 4000, currency: 'XAF' } as const
    expect(JSON.parse(renderStatusQuery(charge, 'pay-1'))).toEqual({
      order_id: orderId,
      amount: 4000,
      pay_token: 'pay-1',
    })
  })

  test('an order_id fits the rail, comes back in a callback, and is never minted twice', () => {
    const minted = Array.from({ length: 1_000 }, mintOrderId)
    for (const id of minted) {
      expect(id).toMatch(/^[\da-z]{26,30}$/)
      const query = new URLSearchParams({ ref: id })
      expect(parseCallbackQuery(query)).toEqual({ by: 'reference', value: id })
    }
    expect(new Set(minted).size).toBe(minted.length)
  })

  test('our part of an address leaves room for the deployment’s', () => {
    const path = `/provider/orange_money_cm/callback?ref=${mintOrderId()}`
    expect(URL_CHARS_MAX - path.length).toBeGreaterThan('https://payments.merchant.example'.length)
  })
})

describe('a payment page', () => {
  const url = 'https://webpayment.orange-money.com/payment/pay_token/abc'
  const body = { status: '201', message: 'OK', pay_token: 'abc', notif_token: 'dd497bda', payment_url: url }

  test('has an address and two tokens', () => {
    expect(readPage(body, false)).toEqual({ payToken: 'abc', notifToken: 'dd497bda', url })
  })

  const absent = [undefined, null, '', 5, {}, ['abc'], ' ', 'a b', 'a\u0000b', 'é', 'x'.repeat(2049)]
  const incomplete = ['pay_token', 'notif_token', 'payment_url'].flatMap((field) =>
    absent.map((value) => [field, value] as const),
  )

  test.each(incomplete)('is incomplete if its %s is %j', (field, value) => {
    expect(readPage({ ...body, [field]: value }, true)).toBeNull()
  })

  test.each([
    ['https://pay.example/p?token=1', true, true],
    ['http://pay.example/p', false, true],
    ['javascript:alert(1)', false, false],
    ['data:text/html,x', false, false],
    ['ftp://pay.example/p', false, false],
    ['//pay.example/p', false, false],
    ['/payment/pay_token/abc', false, false],
    ['pay.example/p', false, false],
    ['https:/pay.example/p', false, false],
    ['https:\\\\pay.example/p', false, false],
  ])('at %s is accepted: %j; on a rail over plain http: %j', (payment_url, isSafe, isPlain) => {
    expect(readPage({ ...body, payment_url }, false) !== null).toBe(isSafe)
    expect(readPage({ ...body, payment_url }, true) !== null).toBe(isPlain)
  })
})

describe('callbacks', () => {
  const token = 'dd497bda3b250e536186fc0663f32f40'
  const other = 'b'.repeat(30)
  const bySecret = { by: 'callback_secret', value: token }
  const byReference = { by: 'reference', value: other }
  test.each([
    ['our parameter', `ref=${other}`, byReference],
    ['our parameter, beside another', `status=SUCCESS&ref=${other}`, byReference],
    ['a parameter in capitals', `ref=${other.toUpperCase()}`, null],
    ['a parameter too long', `ref=${other}0`, null],
    ['another’s parameter', 'ref=7f3b4f0e-93f5-4b1c-8a6e-0b6f2d9c1a55', null],
    ['nothing', '', null],
  ])('the address has %s', (_case, query, expected) => {
    expect(parseCallbackQuery(new URLSearchParams(query))).toEqual(expected)
  })

  test.each([
    [
      'the documented fields',
      `{"status":"SUCCESS","notif_token":"${token}","txnid":"MP150709.1341.A00073"}`,
      bySecret,
    ],
    ['a token that is a number', '{"notif_token":12345}', { by: 'callback_secret', value: '12345' }],
    ['no token', '{"status":"SUCCESS"}', null],
    ['an empty token', '{"notif_token":""}', null],
    ['a token too long', `{"notif_token":"${'x'.repeat(513)}"}`, null],
    ['an order_id', `{"order_id":"${other}"}`, null],
    ['garbage', '<xml/>', null],
    ['more than 4 KiB', `{"notif_token":"${token}","x":"${'x'.repeat(4_096)}"}`, null],
    ['nothing', '', null],
  ])('the body has %s', (_case, body, expected) => {
    expect(parseCallbackBody(bytes(body))).toEqual(expected)
  })
})
