import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { access as mtnAccess, query, START_MS, startRails, submit } from './mtn-client.ts'
import { access, ask, newOrderId, open, payWith } from './orange-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

describe('the charges', () => {
  test('of both rails are listed in the order of their submits', async () => {
    const first = await open(rails)
    await rails.control.advanceClock(1)
    const second = await submit(rails, { msisdn: '237670000454' })
    await rails.control.advanceClock(1)
    const third = await open(rails)
    const listed = await rails.control.listCharges()
    expect(listed.map(({ rail, reference }) => ({ rail, reference }))).toEqual([
      { rail: 'orange', reference: first.orderId },
      { rail: 'mtn', reference: second.reference },
      { rail: 'orange', reference: third.orderId },
    ])
    const newest = await rails.control.listCharges({ limit: 2 })
    expect(newest.map((charge) => charge.reference)).toEqual([second.reference, third.orderId])
  })

  test('can be listed by rail and by payer', async () => {
    const { orderId, url } = await open(rails)
    const { reference } = await submit(rails, { msisdn: '237690000454' })
    await open(rails)
    await payWith(url, '454')
    const referencesOf = async (which: Parameters<typeof rails.control.listCharges>[0]) =>
      (await rails.control.listCharges(which)).map((charge) => charge.reference)
    expect(await referencesOf({ rail: 'mtn' })).toEqual([reference])
    expect(await referencesOf({ rail: 'orange', msisdn: '237690000454' })).toEqual([orderId])
    expect(await referencesOf({ msisdn: '237690000454' })).toEqual([reference, orderId])
  })

  test('of Orange are found by order_id and by pay_token', async () => {
    const { orderId, payToken } = await open(rails)
    const byOrder = await rails.control.findCharge(orderId)
    expect(byOrder).toMatchObject({ rail: 'orange', reference: orderId, payToken })
    expect(await rails.control.findCharge(payToken)).toEqual(byOrder)
    expect(await rails.control.findTransfer(orderId)).toBeUndefined()
  })

  test('of MTN are found whatever the case of their reference', async () => {
    const { reference } = await submit(rails)
    expect(await rails.control.findCharge(reference.toUpperCase())).toMatchObject({ rail: 'mtn', reference })
  })
})

describe.each(['orderId', 'payToken'] as const)('an Orange payment decided by its %s', (key) => {
  test.each([
    ['approveCharge', { state: 'SUCCESS', reason: null, movedAmount: '1000', msisdn: '237690000000' }, 1],
    ['refuseCharge', { state: 'FAILED', reason: 'REFUSED_BY_PAYER', movedAmount: null, msisdn: null }, 0],
    ['expireCharge', { state: 'EXPIRED', reason: null, movedAmount: null, msisdn: null }, 0],
  ] as const)('%s, once', async (decision, shown, debitCount) => {
    const paid = await open(rails)
    expect(await rails.control[decision](paid[key])).toMatchObject({ ...shown, finalAtMs: START_MS })
    expect((await ask(rails, paid)).body).toMatchObject({ status: shown.state })
    const again = { status: 409, message: `the charge is already ${shown.state}` }
    await expect(rails.control.approveCharge(paid[key])).rejects.toMatchObject(again)
    await expect(rails.control.refuseCharge(paid[key])).rejects.toMatchObject(again)
    await rails.control.advanceClock(24 * 60 * 60 * 1000)
    expect(await rails.control.getLedger()).toMatchObject({ debitCount })
  })
})

test('a payment that its payer confirmed can still be decided', async () => {
  const paid = await open(rails)
  await payWith(paid.url, '454')
  expect(await rails.control.approveCharge(paid.orderId)).toMatchObject({
    state: 'SUCCESS',
    msisdn: '237690000454',
  })
})

test('the ledger holds the debits of both rails under their references', async () => {
  const mtn = await submit(rails)
  const orange = await open(rails)
  await payWith(orange.url, '491')
  await rails.control.advanceClock(1_500)
  for (let n = 0; n < 3; n++) await Promise.all([query(rails, mtn.reference), ask(rails, orange)])
  const common = { amount: '1000', currency: 'XAF', atMs: START_MS + 1_500 }
  expect((await rails.control.getLedger()).debits).toEqual([
    { rail: 'mtn', reference: mtn.reference, externalId: 'order-1', msisdn: '237670000001', ...common },
    { rail: 'orange', reference: orange.orderId, externalId: 'Shop', msisdn: '237690000491', ...common },
  ])
})

test('a revocation ends the tokens of both rails', async () => {
  const [mtn, orange] = [await mtnAccess(rails), await access(rails)]
  await rails.control.revokeTokens()
  const path = `${rails.wireUrl}/collection/v1_0/requesttopay/${crypto.randomUUID()}`
  expect((await fetch(path, { headers: mtn as Record<string, string> })).status).toBe(401)
  expect((await open(rails, { headers: orange })).status).toBe(401)
})

test('a reset forgets both rails, and an order_id is free again', async () => {
  const order_id = newOrderId()
  const { url } = await open(rails, { body: { order_id } })
  await submit(rails)
  await rails.control.reset()
  expect(await rails.control.listCharges()).toEqual([])
  expect((await fetch(url)).status).toBe(404)
  expect((await open(rails, { body: { order_id } })).status).toBe(201)
})
