import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ORANGE_SCENARIOS } from '../src/index.ts'
import type { OrangePaymentView } from '../src/index.ts'
import { startCallbackSink } from './callback-sink.ts'
import { core, outcomeOf, startRails } from './mtn-client.ts'
import { ask, newOrderId, notFound, open, payWith, refused, stateOf } from './orange-client.ts'
import type { Paid } from './orange-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const ACTS_MS = 1_500
const DECIDES_MS = 1_500
const VALID_MS = 10 * 60 * 1000
const amountOf = (suffix: string) => Number(`1${suffix}`)
const internalError = refused(500, 1, 'Internal error', 'An internal error occurred.')

const debitsOf = async ({ orderId }: Pick<Paid, 'orderId'>) =>
  (await rails.control.getLedger()).debits.filter((debit) => debit.reference === orderId)
const chargeOf = async ({ orderId }: Pick<Paid, 'orderId'>) =>
  (await rails.control.findCharge(orderId)) as OrangePaymentView | undefined

/** A payment whose payer has just confirmed, at the page or because of the amount. */
const confirmed = {
  'the number typed': async (suffix: string, body = {}) => {
    const paid = await open(rails, { body })
    await payWith(paid.url, suffix)
    return paid
  },
  'the amount': async (suffix: string, body = {}) => {
    const paid = await open(rails, { body: { amount: amountOf(suffix), ...body } })
    expect(await stateOf(rails, paid)).toBe('INITIATED')
    await rails.control.advanceClock(ACTS_MS)
    return paid
  },
}

describe.each(Object.entries(confirmed))('chosen by %s,', (_name, confirm) => {
  test.each([
    ['451', 'REFUSED_BY_PAYER'],
    ['471', 'NOT_ENOUGH_FUNDS'],
    ['472', 'ACCOUNT_NOT_ACTIVE'],
    ['473', 'LIMIT_REACHED'],
    ['474', 'WRONG_OTP'],
  ])('%s is PENDING, then FAILED (%s), and debits nobody', async (suffix, reason) => {
    const paid = await confirm(suffix)
    expect(await stateOf(rails, paid)).toBe('PENDING')
    await rails.control.advanceClock(DECIDES_MS - 1)
    expect(await stateOf(rails, paid)).toBe('PENDING')
    await rails.control.advanceClock(1)
    expect(await stateOf(rails, paid)).toBe('FAILED')
    expect(await chargeOf(paid)).toMatchObject({ reason, scenario: suffix, msisdn: `237690000${suffix}` })
    await rails.control.advanceClock(VALID_MS)
    expect(await stateOf(rails, paid)).toBe('FAILED')
    expect(await debitsOf(paid)).toEqual([])
  })

  test('491 is PENDING, then SUCCESS, with one debit', async () => {
    const paid = await confirm('491')
    expect(await stateOf(rails, paid)).toBe('PENDING')
    expect(await debitsOf(paid)).toEqual([])
    await rails.control.advanceClock(DECIDES_MS)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
    await rails.control.advanceClock(VALID_MS)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
    expect(await debitsOf(paid)).toMatchObject([{ msisdn: '237690000491', amount: `${paid.amount}` }])
  })

  test('452 is confirmed too late: EXPIRED', async () => {
    const paid = await confirm('452')
    await rails.control.advanceClock(DECIDES_MS)
    expect(await stateOf(rails, paid)).toBe('EXPIRED')
    expect(await debitsOf(paid)).toEqual([])
  })

  test('453 is PENDING for 30 seconds, then SUCCESS', async () => {
    const paid = await confirm('453')
    await rails.control.advanceClock(29_999)
    expect(await stateOf(rails, paid)).toBe('PENDING')
    await rails.control.advanceClock(1)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
  })

  test('454 stays PENDING, past the ten minutes too', async () => {
    const paid = await confirm('454')
    await rails.control.advanceClock(24 * 60 * 60 * 1000)
    expect(await stateOf(rails, paid)).toBe('PENDING')
  })

  test.each([
    ['486', internalError],
    ['487', notFound],
  ])('%s changes only the next three queries', async (suffix, spoiled) => {
    const paid = await confirm(suffix)
    await rails.control.advanceClock(DECIDES_MS)
    for (let n = 0; n < 3; n++) expect(core(await ask(rails, paid))).toEqual(spoiled)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
    expect(await debitsOf(paid)).toHaveLength(1)
  })

  test('489 is notified twice', async () => {
    const sink = await startCallbackSink()
    const paid = await confirm('489', { notif_url: sink.url })
    await rails.control.advanceClock(DECIDES_MS)
    const [first, second] = await sink.wait(2)
    expect(first).toMatchObject({ body: { status: 'SUCCESS', notif_token: paid.notifToken } })
    expect(second).toEqual(first)
    await sink.stop()
  })

  test.each([
    ['492', 'FAILED', 'FAILED'],
    ['493', 'EXPIRED', 'SUCCESS'],
  ])('%s ends %s and succeeds late, notified once (%s)', async (suffix, end, notified) => {
    const sink = await startCallbackSink()
    const paid = await confirm(suffix, { notif_url: sink.url })
    await rails.control.advanceClock(DECIDES_MS)
    expect(await stateOf(rails, paid)).toBe(end)
    await rails.control.advanceClock(19_999)
    expect(await stateOf(rails, paid)).toBe(end)
    expect(await debitsOf(paid)).toEqual([])
    await rails.control.advanceClock(1)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
    expect(await debitsOf(paid)).toHaveLength(1)
    expect(await sink.wait(1)).toMatchObject([{ body: { status: notified } }])
    await rails.control.advanceClock(VALID_MS)
    await expect.poll(() => rails.control.listCallbacks({ reference: paid.orderId })).toHaveLength(1)
    await sink.stop()
  })

  test('494 shows an undocumented status until somebody decides', async () => {
    const paid = await confirm('494')
    await rails.control.advanceClock(24 * 60 * 60 * 1000)
    expect(await stateOf(rails, paid)).toBe('IN_RECONCILIATION')
    await rails.control.approveCharge(paid.orderId)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
  })

  test('passes every step if the clock jumps over them', async () => {
    const paid = await confirm('493')
    await rails.control.advanceClock(24 * 60 * 60 * 1000)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
    expect(await debitsOf(paid)).toHaveLength(1)
  })

  test('a decision of the control plane ends the scenario', async () => {
    const paid = await confirm('453')
    await rails.control.refuseCharge(paid.orderId)
    await rails.control.advanceClock(24 * 60 * 60 * 1000)
    expect(await stateOf(rails, paid)).toBe('FAILED')
    expect(await debitsOf(paid)).toEqual([])
  })
})

describe('488, a notification before the answer,', () => {
  const withOrder = async (body: object, pay: (paid: Paid) => Promise<unknown>) => {
    const order: string[] = []
    const sink = await startCallbackSink(() => order.push('notification'))
    const paid = await open(rails, { body: { ...body, notif_url: sink.url } })
    await pay(paid)
    order.push('answer')
    expect(order).toEqual(['notification', 'answer'])
    expect(sink.received).toMatchObject([{ body: { status: 'SUCCESS', notif_token: paid.notifToken } }])
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
    expect(await debitsOf(paid)).toHaveLength(1)
    await rails.control.advanceClock(VALID_MS)
    expect(await debitsOf(paid)).toHaveLength(1)
    await sink.stop()
  }

  test('arrives before the 201 if the amount says so', () =>
    withOrder({ amount: amountOf('488') }, async (paid) => expect(paid.status).toBe(201)))

  test('arrives before the payer returns if the number says so', () =>
    withOrder({}, async (paid) => expect((await payWith(paid.url, '488')).status).toBe(303)))
})

describe('an amount that changes the answer to the submit', () => {
  const expiresUnpaid = async (orderId: string) => {
    expect(await rails.control.findCharge(orderId)).toMatchObject({ state: 'INITIATED' })
    await rails.control.advanceClock(VALID_MS)
    expect(await rails.control.findCharge(orderId)).toMatchObject({ state: 'EXPIRED' })
    expect(await debitsOf({ orderId })).toEqual([])
  }

  test('482 is accepted and its connection reset, so it cannot be paid', async () => {
    const order_id = newOrderId()
    const unanswered = open(rails, { body: { order_id, amount: amountOf('482') } })
    await expect(unanswered).rejects.toThrow('fetch failed')
    expect(await rails.control.listCalls({ operation: 'orange_submit' })).toMatchObject([
      { reference: order_id, status: null, outcome: 'reset' },
    ])
    await expiresUnpaid(order_id)
  })

  test('483 is accepted and answered with HTTP 500', async () => {
    const answer = await open(rails, { body: { amount: amountOf('483') } })
    expect(core(answer)).toEqual(internalError)
    await expiresUnpaid(answer.orderId)
  })

  test('484 is reset and was never accepted', async () => {
    const order_id = newOrderId()
    const unanswered = open(rails, { body: { order_id, amount: amountOf('484') } })
    await expect(unanswered).rejects.toThrow('fetch failed')
    expect(await rails.control.findCharge(order_id)).toBeUndefined()
  })

  test('496 is accepted and never answered', async () => {
    const order_id = newOrderId()
    const giveUp = new AbortController()
    const unanswered = open(rails, { body: { order_id, amount: amountOf('496') }, signal: giveUp.signal })
    const outcome = outcomeOf(unanswered)
    await expect.poll(() => rails.control.findCharge(order_id)).toBeDefined()
    giveUp.abort()
    expect(await outcome).toBe('AbortError')
    await expiresUnpaid(order_id)
  })
})

test('the amount 497 stays INITIATED past its ten minutes, and can still be paid', async () => {
  const paid = await open(rails, { body: { amount: amountOf('497') } })
  await rails.control.advanceClock(24 * 60 * 60 * 1000)
  expect(await stateOf(rails, paid)).toBe('INITIATED')
  await payWith(paid.url, '001')
  await rails.control.advanceClock(DECIDES_MS)
  expect(await stateOf(rails, paid)).toBe('SUCCESS')
})

describe('any other', () => {
  test('amount waits for a payer, and expires', async () => {
    const paid = await open(rails, { body: { amount: 12_500 } })
    await rails.control.advanceClock(VALID_MS - 1)
    expect(await stateOf(rails, paid)).toBe('INITIATED')
    await rails.control.advanceClock(1)
    expect(await stateOf(rails, paid)).toBe('EXPIRED')
  })

  test.each(['001', '482', '483', '484', '496', '497'])('number pays, as %s does', async (suffix) => {
    const paid = await open(rails)
    await payWith(paid.url, suffix)
    await rails.control.advanceClock(DECIDES_MS)
    expect(await stateOf(rails, paid)).toBe('SUCCESS')
    expect(await debitsOf(paid)).toHaveLength(1)
  })

  test('amount of fewer than three digits selects no scenario', async () => {
    const paid = await open(rails, { body: { amount: 51 } })
    expect(await chargeOf(paid)).toMatchObject({ scenario: 'other' })
  })
})

test('the payer’s number takes precedence over the amount', async () => {
  const paid = await open(rails, { body: { amount: amountOf('471') } })
  await payWith(paid.url, '001')
  await rails.control.advanceClock(ACTS_MS + DECIDES_MS)
  expect(await stateOf(rails, paid)).toBe('SUCCESS')
  expect(await debitsOf(paid)).toMatchObject([{ msisdn: '237690000001' }])
})

test('every scenario has its own ending, and none is a multiple of five', () => {
  const suffixes = ORANGE_SCENARIOS.map((scenario) => scenario.suffix)
  expect(new Set(suffixes).size).toBe(suffixes.length)
  expect(suffixes.filter((suffix) => Number(suffix) % 5 === 0)).toEqual([])
})
