import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { LOOKUPS_PER_MERCHANT } from '../../../src/lookups.ts'
import { ORANGE_RAIL, PUSH_RAIL, startTestApi } from '../../harness.ts'
import { openOrange } from '../../orange.ts'
import { disableClient } from '../../rows.ts'

const api = await startTestApi()
const orange = await openOrange(api)
afterAll(async () => {
  await orange.stop()
  await api.stop()
})

const lookUp = (msisdn: string, more = '', merchant = 'acme') =>
  api.call({
    path: `/v1/account_holders?payment_method_type=${PUSH_RAIL}&msisdn=${encodeURIComponent(msisdn)}${more}`,
    merchant,
  })

const holder = {
  object: 'account_holder',
  payment_method_type: PUSH_RAIL,
  msisdn: '237670000001',
  registered: true,
  name: 'Sand Box',
  livemode: false,
}

/** All rows of all tables to which a request could have written. */
async function rowCounts() {
  const tables = ['payment_intents', 'charges', 'customers', 'events', 'idempotency_keys'] as const
  return Promise.all(tables.map((table) => api.db.reader.selectFrom(table).selectAll().execute()))
}

describe('200', () => {
  test.each(['237670000001', '+237 6 70 00 00 01', '670000001', '00237670000001', 'tel:+237-670-000-001'])(
    '%s: whose account it is, with the number in its one form',
    async (spelling) => {
      const answer = await lookUp(spelling)
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: holder })
      expect(answer).toHaveRequestId()
    },
  )

  test.each([
    ['an unknown account', '237670000450'],
    ['one that is not active', '237670000451'],
  ])('%s is not registered, and has no name', async (_, msisdn) => {
    expect((await lookUp(msisdn)).body).toEqual({ ...holder, msisdn, registered: false, name: null })
  })

  test('stores nothing, and returns only the name of the rail’s data [§2.8]', async () => {
    const before = await rowCounts()
    const { text } = await lookUp('237670000001')
    expect(await rowCounts()).toEqual(before)
    expect(text).not.toMatch(/1976|MALE|sv_SE/)
  })

  test('expand is ignored', async () => {
    expect((await lookUp('237670000001', '&expand[]=name')).body).toEqual(holder)
  })
})

describe('400', () => {
  test.each([
    ['', 'payment_method_type'],
    [`?payment_method_type=${PUSH_RAIL}`, 'msisdn'],
    [`?payment_method_type=${PUSH_RAIL}&msisdn=`, 'msisdn'],
    [`?payment_method_type=${PUSH_RAIL}&msisdn=12345`, 'msisdn'],
    [`?payment_method_type=${PUSH_RAIL}&msisdn=23767000000x`, 'msisdn'],
    [`?payment_method_type=${PUSH_RAIL}&msisdn[]=237670000001`, 'msisdn'],
    ['?msisdn=237670000001', 'payment_method_type'],
    ['?payment_method_type=&msisdn=237670000001', 'payment_method_type'],
    ['?payment_method_type=other&msisdn=237670000001', 'payment_method_type'],
    ['?payment_method_type=__proto__&msisdn=237670000001', 'payment_method_type'],
    [`?payment_method_type=${PUSH_RAIL}&msisdn=237670000001&name=Ada`, 'name'],
  ])('%s is refused by name, without a call to the rail', async (query, param) => {
    const asked = (await api.mock.control.listCalls({ operation: 'accountholder' })).length
    const answer = await api.call({ path: `/v1/account_holders${query}` })
    expect(answer).toBeRefusal('invalid_request', param)
    expect(await api.mock.control.listCalls({ operation: 'accountholder' })).toHaveLength(asked)
  })
})

describe('401', () => {
  test('a disabled client gets no name', async () => {
    await disableClient(api, 'disabled')
    const asked = (await api.mock.control.listCalls({ operation: 'accountholder' })).length
    expect(await lookUp('237670000001', '', 'disabled')).toBeRefusal('authentication_error')
    expect(await api.mock.control.listCalls({ operation: 'accountholder' })).toHaveLength(asked)
  })
})

describe('501', () => {
  test('a rail without look-ups', async () => {
    const path = `/v1/account_holders?payment_method_type=${ORANGE_RAIL}&msisdn=237690000001`
    expect(await orange.call({ path })).toBeRefusal('not_supported')
  })
})

describe('502', () => {
  test.each(['237670000452', '237670000454', '237670000455'])(
    '%s: a rail that answers nothing of use',
    async (msisdn) => {
      expect(await lookUp(msisdn)).toBeRefusal('provider_unavailable')
    },
  )

  test('an unreachable rail', async () => {
    await api.wire.cut()
    expect(await lookUp('237670000001')).toBeRefusal('provider_unavailable')
    await api.wire.mend()
    expect((await lookUp('237670000001')).status).toBe(200)
  })
})

describe('503', () => {
  test('a merchant with many concurrent look-ups gets the budget’s number, and more with time', async () => {
    const few = await startTestApi({ lookups: 'few', clock: 'still' })
    onTestFinished(() => few.stop())
    const ask = (merchant = 'acme', msisdn = '237670000001') =>
      few.call({
        path: `/v1/account_holders?payment_method_type=${PUSH_RAIL}&msisdn=${msisdn}`,
        merchant,
      })
    // A request that calls no rail does not use the budget.
    expect(await ask('acme', '12')).toMatchObject({ status: 400 })
    const wanted = LOOKUPS_PER_MERCHANT.burst * 4
    const answers = await Promise.all(Array.from({ length: wanted }, () => ask()))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(answers.length - refused.length).toBe(LOOKUPS_PER_MERCHANT.burst)
    for (const answer of refused) expect(answer).toBeRefusal('service_unavailable')
    expect(await few.figure('account_holder_lookups_total{surface="v1",result="asked"}')).toBe(
      LOOKUPS_PER_MERCHANT.burst,
    )
    expect(await few.figure('account_holder_lookups_total{surface="v1",result="refused"}')).toBe(
      refused.length,
    )

    expect(await ask('globex')).toMatchObject({ status: 200 })
    few.advance(3_000 / LOOKUPS_PER_MERCHANT.perSecond)
    const later = await Promise.all(Array.from({ length: 5 }, () => ask()))
    expect(later.filter(({ status }) => status === 200)).toHaveLength(3)
  })
})
