import type { RailEvidence } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import { evidence, hang, html, json, reset, type Respond } from './operator.ts'
import { atRail, denied, openWebPayment, reference } from './web-payment.ts'

const unavailable = (found: Partial<RailEvidence>) => ({
  kind: 'unavailable',
  evidence: evidence({ operation: 'query', ...found }),
})
const said = (status: string, more: object = {}) => json(201, { status, order_id: reference, ...more })
const failed = (code: string, actor: string, railCode: string) => ({
  kind: 'failed',
  decline: { code, actor, railCode, railMessage: null },
})

describe('status queries', () => {
  test('send the order, its amount and its page token', async () => {
    const { rail, calls } = await openWebPayment()
    expect(await rail.queryCharge(atRail)).toEqual({ kind: 'pending' })
    expect(calls[1]?.path).toBe('/orange-money-webpay/cm/v1/transactionstatus')
    expect(calls[1]?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'content-type': 'application/json',
    })
    expect(JSON.parse(calls[1]?.body ?? '')).toEqual({
      order_id: reference,
      amount: 4000,
      pay_token: 'pay-1',
    })
  })

  test.each<[string, Respond, object]>([
    ['the payer has not started', said('INITIATED'), { kind: 'pending' }],
    ['the payer has confirmed', said('PENDING'), { kind: 'pending' }],
    [
      'paid',
      said('SUCCESS', { txnid: 'MP150709.1341.A00073' }),
      { kind: 'succeeded', railTxnId: 'MP150709.1341.A00073', amountMinor: null, currency: null },
    ],
    ['refused', said('FAILED'), failed('declined', 'rail', 'FAILED')],
    ['too late', said('EXPIRED'), failed('redirect_expired', 'payer', 'EXPIRED')],
    ['a new word', said('ON_HOLD'), { kind: 'unknown_status', status: 'ON_HOLD' }],
    [
      'a field that we left out',
      json(400, { code: 23, message: 'Missing body field', description: "Key: 'OrderId'" }),
      unavailable({ httpStatus: 400, railCode: '23' }),
    ],
    ['not found', json(404, { code: 60 }), unavailable({ httpStatus: 404, railCode: '60' })],
    ['an error that could be a number', json(500, { code: 237690000001 }), unavailable({ httpStatus: 500 })],
    ['of another order', said('SUCCESS', { order_id: 'b'.repeat(30) }), unavailable({ httpStatus: 201 })],
    ['an outage', html(503), unavailable({ httpStatus: 503 })],
    ['a page', html(200), unavailable({ httpStatus: 200 })],
    ['a reset', reset, unavailable({ errno: 'ECONNRESET' })],
  ])('%s', async (_case, answer, outcome) => {
    const { rail, trace } = await openWebPayment({ query: answer })
    expect(await rail.queryCharge(atRail)).toEqual(outcome)
    expect(trace()).toEqual(['token', 'query'])
  })

  test('without an answer give no information about the charge', async () => {
    const { rail } = await openWebPayment({ query: hang }, { totalTimeoutMs: 500 })
    expect(await rail.queryCharge(atRail)).toEqual(unavailable({ errno: 'TIMEOUT' }))
  })

  test('after a 401 are repeated with a new token', async () => {
    const { rail, trace } = await openWebPayment({ query: [denied, said('PENDING')] })
    expect(await rail.queryCharge(atRail)).toEqual({ kind: 'pending' })
    expect(trace()).toEqual(['token', 'query', 'token', 'query'])
  })

  test('of a charge whose page was lost are not sent', async () => {
    const { rail, trace } = await openWebPayment()
    const outcome = await rail.queryCharge({ ...atRail, railToken: null })
    expect(outcome).toEqual(unavailable({ errno: 'NO_PAY_TOKEN' }))
    expect(trace()).toEqual([])
  })
})
