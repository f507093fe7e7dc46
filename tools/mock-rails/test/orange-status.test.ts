import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { core, startRails } from './mtn-client.ts'
import { ask, invalidField, notFound, open, refused } from './orange-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

describe('a status', () => {
  test('has 201, the order and no txnid while it is unpaid', async () => {
    const paid = await open(rails)
    expect(core(await ask(rails, paid))).toEqual({
      status: 201,
      body: { status: 'INITIATED', order_id: paid.orderId },
    })
  })

  test('has a txnid on success', async () => {
    const paid = await open(rails)
    await rails.control.approveCharge(paid.orderId)
    expect(core(await ask(rails, paid))).toEqual({
      status: 201,
      body: {
        status: 'SUCCESS',
        order_id: paid.orderId,
        txnid: expect.stringMatching(/^MP270115\.0000\.A\d{5}$/),
      },
    })
  })

  test('does not say why a payment failed, nor that it was attempted', async () => {
    const paid = await open(rails)
    await rails.control.refuseCharge(paid.orderId)
    expect(core(await ask(rails, paid))).toEqual({
      status: 201,
      body: { status: 'FAILED', order_id: paid.orderId },
    })
  })

  test('is counted in the log', async () => {
    const paid = await open(rails)
    for (let n = 0; n < 3; n++) await ask(rails, paid)
    expect(await rails.control.findCharge(paid.orderId)).toMatchObject({ statusQueries: 3 })
  })
})

describe('a query', () => {
  test.each([
    ['order_id', 'OrderId'],
    ['amount', 'Amount'],
    ['pay_token', 'PayToken'],
  ])('without %s is a 400 of code 23', async (name, field) => {
    const paid = await open(rails)
    expect(core(await ask(rails, paid, { body: { [name]: undefined } }))).toEqual(
      refused(
        400,
        23,
        'Missing body field',
        `Key: 'GetTransactionStatusInfo.${field}' Error:Field validation for '${field}' failed on the 'required' tag`,
      ),
    )
  })

  test.each([
    ['amount', '1000'],
    ['amount', 1000.5],
    ['order_id', 7],
    ['pay_token', 7],
  ])('with the %s %j is a 400 of code 24', async (name, value) => {
    const paid = await open(rails)
    expect(core(await ask(rails, paid, { body: { [name]: value } }))).toEqual(
      invalidField(expect.stringMatching(new RegExp(`^${name}: .`))),
    )
  })

  test.each([
    ['order_id', 'another', 'order_id is not that of the pay_token'],
    ['amount', 1001, 'amount is not that of the pay_token'],
    ['pay_token', 'f'.repeat(64), 'unknown pay_token'],
  ])('with the %s of no such payment is a 404', async (name, value, why) => {
    const paid = await open(rails)
    expect(core(await ask(rails, paid, { body: { [name]: value } }))).toEqual(notFound)
    expect(await rails.control.listCalls({ operation: 'orange_status' })).toMatchObject([{ why }])
  })

  test('under the other segment is a 404', async () => {
    const paid = await open(rails)
    expect(core(await ask(rails, paid, { environment: 'dev' }))).toEqual(notFound)
  })

  test('with the keys of two payments is a 404', async () => {
    const [one, two] = [await open(rails), await open(rails)]
    expect(core(await ask(rails, { ...one, payToken: two.payToken }))).toEqual(notFound)
  })
})

describe('the ten minutes', () => {
  test('end in EXPIRED, to the millisecond', async () => {
    const paid = await open(rails)
    await rails.control.advanceClock(10 * 60 * 1000 - 1)
    expect((await ask(rails, paid)).body).toMatchObject({ status: 'INITIATED' })
    await rails.control.advanceClock(1)
    expect(core(await ask(rails, paid))).toEqual({
      status: 201,
      body: { status: 'EXPIRED', order_id: paid.orderId },
    })
  })

  test('are a setting, fixed at the submit', async () => {
    await rails.control.updateSettings({ orange: { validityMs: 1_000 } })
    const paid = await open(rails)
    await rails.control.updateSettings({ orange: { validityMs: 60_000 } })
    await rails.control.advanceClock(1_000)
    expect((await ask(rails, paid)).body).toMatchObject({ status: 'EXPIRED' })
  })
})
