import type { Decline } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../answer.ts'
import { judgeQuery, judgeSubmit } from './errors.ts'

type Row = readonly [status: number, body: JsonObject | null, verdict: object | null]

const orderId = 'a3f0c1d2e4b5968778695a4b3c2d1e'
const url = 'https://webpayment.orange-money.com/payment/pay_token/abc'
const created = { status: '201', message: 'OK', pay_token: 'abc', notif_token: 'dd497bda', payment_url: url }

const decline = (
  code: Decline['code'],
  actor: Decline['actor'],
  railCode: string | null,
  railMessage: string | null = null,
): Decline => ({ code, actor, railCode, railMessage })

describe('the answers to a web payment', () => {
  const accepted = { kind: 'accepted', page: { payToken: 'abc', notifToken: 'dd497bda', url } }
  const [unknown, notSent] = [{ kind: 'unknown' }, { kind: 'not_sent' }]
  const misconfigured = (railCode: string | null, railMessage: string | null) => ({
    kind: 'declined',
    decline: decline('rail_misconfigured', 'merchant_config', railCode, railMessage),
  })
  const missing = {
    code: '23',
    message: 'Missing body field',
    description:
      "Key: 'WebPayment.OrderId' Error:Field validation for 'OrderId' failed on the 'required' tag",
  }
  const table: readonly Row[] = [
    [201, created, accepted],
    [201, { ...created, more: 'than documented' }, accepted],
    [201, null, unknown],
    [201, {}, unknown],
    [201, { ...created, payment_url: undefined }, unknown],
    [201, { ...created, pay_token: undefined }, unknown],
    [201, { ...created, notif_token: undefined }, unknown],
    [200, created, unknown],
    [202, created, unknown],
    [204, null, unknown],
    [302, null, unknown],
    [400, missing, misconfigured('23', 'Missing body field')],
    [400, null, misconfigured(null, null)],
    [400, { message: 'Currency\u0000 not allowed' }, misconfigured(null, 'Currency not allowed')],
    [403, { code: '50', message: 'Access denied' }, misconfigured('50', 'Access denied')],
    [404, { code: '60', message: 'Resource not found' }, misconfigured('60', 'Resource not found')],
    [400, { message: 'order_id already used' }, unknown],
    [400, { code: '8', message: 'Invalid', description: 'Duplicate OrderId' }, unknown],
    [403, { message: 'This order id already exists' }, unknown],
    [409, { message: 'Conflict' }, unknown],
    [409, null, unknown],
    [401, { code: '42', message: 'Expired credentials' }, notSent],
    [403, { code: '53', message: 'Too many requests' }, notSent],
    [403, { message: 'Out of call volume quota.' }, notSent],
    [429, null, notSent],
    [405, null, unknown],
    [408, null, unknown],
    [500, missing, unknown],
    [500, created, unknown],
    [502, null, unknown],
    [503, null, unknown],
  ]

  test.each(table)('%d %j', (status, body, verdict) => {
    expect(judgeSubmit(status, body, false)).toEqual(verdict)
  })

  test('a page over plain http is accepted only from a rail over plain http', () => {
    const plain = { ...created, payment_url: 'http://127.0.0.1/payment/pay_token/abc' }
    expect(judgeSubmit(201, plain, false)).toEqual(unknown)
    expect(judgeSubmit(201, plain, true)).toMatchObject({ kind: 'accepted' })
  })
})

describe('the answers to a status query', () => {
  const txnid = 'MP150709.1341.A00073'
  const said = (status: string, more: JsonObject = {}) => ({ status, order_id: orderId, ...more })
  const paid = { kind: 'succeeded', railTxnId: txnid, amountMinor: null, currency: null }
  const failed = { kind: 'failed', decline: decline('declined', 'rail', 'FAILED') }
  const expired = { kind: 'failed', decline: decline('redirect_expired', 'payer', 'EXPIRED') }
  const table: readonly Row[] = [
    [201, said('INITIATED'), { kind: 'pending' }],
    [201, said('PENDING'), { kind: 'pending' }],
    [201, said('SUCCESS', { txnid }), paid],
    [200, said('SUCCESS', { txnid }), paid],
    [202, said('SUCCESS', { txnid }), paid],
    [201, { status: 'SUCCESS', txnid }, paid],
    [201, said('SUCCESS'), { ...paid, railTxnId: null }],
    [201, said('SUCCESS', { txnid: null }), { ...paid, railTxnId: null }],
    [201, said('FAILED'), failed],
    [201, said('EXPIRED'), expired],
    [201, said('SUCCESS', { txnid, order_id: 'b'.repeat(30) }), null],
    [201, said('FAILED', { order_id: null }), failed],
    [201, said('REFUNDED'), { kind: 'unknown_status', status: 'REFUNDED' }],
    [201, said('success'), { kind: 'unknown_status', status: 'SUCCESS' }],
    [201, said('SUCCESSFULL'), { kind: 'unknown_status', status: 'SUCCESSFULL' }],
    [201, said('201'), null],
    [201, { order_id: orderId }, null],
    [201, {}, null],
    [201, null, null],
    [302, said('SUCCESS'), null],
    [400, { code: '23', message: 'Missing body field' }, null],
    [400, said('FAILED'), null],
    [401, null, null],
    [404, { code: '60', message: 'Resource not found' }, null],
    [404, said('EXPIRED'), null],
    [500, said('SUCCESS', { txnid }), null],
    [503, null, null],
  ]

  test.each(table)('%d %j', (status, body, outcome) => {
    expect(judgeQuery(status, body, orderId)).toEqual(outcome)
  })
})
