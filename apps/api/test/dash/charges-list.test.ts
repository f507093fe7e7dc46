import { STUCK_AFTER_MS } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL, settle } from '../harness.ts'
import { confirmedIntent, succeededIntent } from '../steps.ts'
import { seenOf } from './approvals.ts'
import { payTwice } from './paid-twice.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

const rows = async (query = ''): Promise<{ id: string; payment_intent: string; returned: boolean }[]> =>
  (await omar.get(`/charges${query}`)).body.data
const shown = async (query = '') => (await rows(query)).map(({ payment_intent: intent }) => intent)
const counts = async () => (await omar.get('/overview')).body

describe('dash.charges.list', () => {
  test('200: masks the payers’ numbers, which are whole on the page of their payment', async () => {
    const own = await startStaffApi()
    const vera = await own.signInAs('vera')
    const { id } = await succeededIntent(own)
    const numbersIn = (of: { payer_msisdn: string }[]) => of.map(({ payer_msisdn: number }) => number)
    expect(numbersIn((await vera.get('/charges?limit=100')).body.data)).toEqual([
      expect.stringMatching(/^6 •• •• •• \d\d$/),
    ])
    const { charges } = (await vera.get(`/payment_intents/${id}`)).body
    expect(numbersIn(charges)).toEqual([expect.stringMatching(/^237\d{9}$/)])
    await own.stop()
  })

  test('200: stuck charges have waited long for their rail, and open ones include them', async () => {
    const settled = await succeededIntent(api)
    const { id } = await confirmedIntent(api, 'staysPending')
    expect(await shown('?state=stuck')).toEqual([])
    api.advance(STUCK_AFTER_MS + 1_000)
    const later = await confirmedIntent(api, 'staysPending')
    expect(await shown('?state=stuck')).toEqual([id])
    expect(await shown(`?state=stuck&rail=${PUSH_RAIL}&merchant=acme`)).toEqual([id])
    expect(await shown('?state=stuck&rail=orange_money_cm')).toEqual([])
    expect(await shown('?state=stuck&merchant=globex')).toEqual([])
    expect(await shown('?state=open')).toEqual([later.id, id])
    expect(await shown()).toEqual([later.id, id, settled.id])
    expect(await shown(`?rail=${PUSH_RAIL}&limit=2`)).toEqual([later.id, id])
    const [, second] = await rows()
    expect(await shown(`?starting_after=${second?.id}`)).toEqual([settled.id])
    const { live_charges: open, stuck_charges: stuck } = await counts()
    expect([open.count, stuck.count]).toEqual([2, 1])
  })

  test('200: a duplicate is listed until it is returned, as the overview counts it', async () => {
    const { intent, charge } = await payTwice(api, omar)
    const duplicates = async () => [await shown('?state=duplicate'), (await counts()).duplicate_charges.count]
    expect(await duplicates()).toEqual([[intent], 1])
    expect((await rows('?state=duplicate'))[0]).toMatchObject({ id: charge.id, returned: false })
    await omar.post(`/charges/${charge.id}/return`, { reason: 'Paid twice.' })
    expect(await duplicates()).toEqual([[], 0])
    const { body } = await omar.get(`/payment_intents/${intent}`)
    const returned = body.charges.map((one: { status: string; returned: boolean }) => [
      one.status,
      one.returned,
    ])
    expect(returned.toSorted()).toEqual([
      ['duplicate', true],
      ['succeeded', false],
    ])
  })

  test('200: a charge for which the rail reports another amount is shown with that amount', async () => {
    const { id: intent } = await confirmedIntent(api, 'paysAnotherAmount')
    expect(await shown('?state=mismatch')).toEqual([])
    await settle(api)
    expect(await shown('?state=mismatch')).toEqual([intent])
    const { mismatched_charges: mismatched } = await counts()
    expect(mismatched).toEqual({ count: 1, oldest: expect.any(Number) })
    const [charge] = (await omar.get(`/payment_intents/${intent}`)).body.charges
    expect(charge.reported).toEqual({
      amount: expect.any(Number),
      currency: 'XAF',
      at: expect.any(Number),
    })
    expect(charge.reported.amount).not.toBe(charge.amount)
    await api.wire.cut()
    await settle(api, 60_000)
    await api.wire.mend()
    const [later] = (await omar.get(`/payment_intents/${intent}`)).body.charges
    expect(later.reported).toEqual(charge.reported)
    await omar.post(`/charges/${charge.id}/resolve`, {
      outcome: 'failed',
      reason: 'Another payment.',
      ...seenOf(charge.reported),
    })
    await settle(api)
    expect((await counts()).mismatched_charges.count).toBe(1)
  })

  test('400: an unknown state, and a cursor of another list', async () => {
    expect(await omar.get('/charges?state=lost')).toBeRefusal('invalid_request', 'state')
    expect(await omar.get('/charges?starting_after=pi_1')).toBeRefusal('invalid_request', 'starting_after')
  })
})
