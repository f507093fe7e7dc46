import { afterAll, describe, expect, test } from 'vitest'
import { createRefund } from '../refunds.ts'
import { confirmedIntent, createCall, intentForm, succeededIntent } from '../steps.ts'
import { EURO_RAIL, settle } from '../harness.ts'
import { handleOf, startStaffApi } from './staff.ts'

const api = await startStaffApi()
const vera = await api.signInAs('vera')
const paid = (await succeededIntent(api)).id
await createRefund(api, paid)
const declined = (await confirmedIntent(api, 'declines')).id
await settle(api)
await api.call(createCall(intentForm.replace(/amount=\d+/, 'amount=700&metadata[order]=A-1')))
afterAll(() => api.stop())

const total = async (path: string) => (await vera.get(`/totals${path}`)).body
const ids = async (query: string) =>
  (await vera.get(`/payment_intents?${query}`)).body.data.map(({ id }: { id: string }) => id)

describe('dash.paymentIntents.total', () => {
  test('200: counts the list and sums its amounts, under the same filters', async () => {
    expect(await total('/payment_intents')).toEqual({
      object: 'totals',
      count: 3,
      is_more: false,
      sums: [{ currency: 'XAF', amount: 10_700 }],
    })
    for (const [query, count, amount] of [
      ['status=succeeded', 1, 5_000],
      ['amount[lte]=700', 1, 700],
      ['amount[gte]=701', 2, 10_000],
      ['amount=5000&charge=failed', 1, 5_000],
      ['metadata=order=A-1', 1, 700],
      ['merchant=globex', 0, null],
    ] as const) {
      const { body } = await vera.get(`/totals/payment_intents?${query}`)
      expect([query, body.count, body.sums[0]?.amount ?? null]).toEqual([query, count, amount])
      expect((await vera.get(`/payment_intents?${query}`)).body.data).toHaveLength(count)
    }
  })

  test('200: under the handle of a number, with an entry in the audit log', async () => {
    const payer = await handleOf(vera, '237670000001')
    expect(await total(`/payment_intents?payer=${payer}`)).toMatchObject({ count: 1 })
  })

  test('400: a faulty filter', async () => {
    for (const [query, param] of [
      ['amount=0', 'amount'],
      ['amount[gt]=5', 'amount[gt]'],
      ['amount[gte]=1.5', 'amount[gte]'],
      ['charge=lost', 'charge'],
      ['decline=unkind', 'decline'],
      ['metadata=', 'metadata'],
    ] as const) {
      for (const list of ['/payment_intents', '/totals/payment_intents']) {
        expect(await vera.get(`${list}?${query}`)).toBeRefusal('invalid_request', param)
      }
    }
    expect(await vera.get('/totals/payment_intents?limit=1')).toBeRefusal('invalid_request', 'limit')
  })
})

describe('the filters of payments', () => {
  test('by the newest charge, by the code of the last error, and by metadata', async () => {
    expect(await ids('charge=succeeded')).toEqual([paid])
    const { last_payment_error: error } = (await vera.get(`/payment_intents/${declined}`)).body
    expect(await ids(`decline=${error.code}`)).toEqual([declined])
    expect(await ids('metadata=A-1')).toHaveLength(1)
    expect(await ids('metadata=A-1&status=succeeded')).toEqual([])
  })
})

describe('the filter by currency', () => {
  const listed = async (path: string) =>
    (await vera.get(path)).body.data as { id: string; currency: string }[]

  test('of payments has those of the currency alone, in the list and in its totals', async () => {
    const euros = await api.call(
      createCall(`amount=700&currency=EUR&payment_method_types[0]=${EURO_RAIL}&metadata[order]=A-1`),
    )
    for (const filters of ['amount=700', 'amount[lte]=700&metadata=order=A-1']) {
      const [ofEuros, ofFrancs] = await Promise.all(
        ['EUR', 'XAF'].map((currency) => listed(`/payment_intents?${filters}&currency=${currency}`)),
      )
      expect(ofEuros?.map(({ id }) => id)).toEqual([euros.body.id])
      expect(ofFrancs?.map(({ currency }) => currency)).toEqual(['XAF'])
      expect(await listed(`/payment_intents?${filters}`)).toHaveLength(2)
      expect(await total(`/payment_intents?${filters}&currency=EUR`)).toMatchObject({
        count: 1,
        sums: [{ currency: 'EUR', amount: 700 }],
      })
    }
  })

  test.each(['/charges', '/charges?state=open', '/refunds', '/refunds?queue=waiting'])(
    'holds for %s too',
    async (path) => {
      const sign = path.includes('?') ? '&' : '?'
      const all = (await listed(path)).map(({ id }) => id)
      expect((await listed(`${path}${sign}currency=XAF`)).map(({ id }) => id)).toEqual(all)
      expect(await listed(`${path}${sign}currency=EUR`)).toEqual([])
      expect(await total(`${path}${sign}currency=XAF`)).toMatchObject({ count: all.length })
      expect(await total(`${path}${sign}currency=EUR`)).toMatchObject({ count: 0, sums: [] })
    },
  )

  test('400: a currency that the service does not have', async () => {
    for (const path of ['/payment_intents', '/charges', '/refunds'])
      for (const list of [path, `/totals${path}`])
        expect(await vera.get(`${list}?currency=USD`)).toBeRefusal('invalid_request', 'currency')
  })
})

describe('dash.charges.total', () => {
  test('200: counts the list and sums its amounts', async () => {
    expect(await total('/charges')).toMatchObject({ count: 2, sums: [{ currency: 'XAF', amount: 10_000 }] })
    expect(await total('/charges?state=open')).toMatchObject({ count: 0, sums: [] })
    expect(await total('/charges?amount[gte]=5001')).toMatchObject({ count: 0 })
  })
})

describe('dash.refunds.total', () => {
  test('200: counts the list and sums its amounts', async () => {
    const { count, sums } = await total('/refunds')
    expect([count, sums.length]).toEqual([1, 1])
    expect(await total(`/refunds?amount[gte]=${sums[0].amount + 1}`)).toMatchObject({ count: 0 })
    expect((await vera.get(`/refunds?amount[gte]=${sums[0].amount}`)).body.data).toHaveLength(1)
    for (const queue of ['waiting', 'resting']) {
      const { data } = (await vera.get(`/refunds?queue=${queue}`)).body
      expect(await total(`/refunds?queue=${queue}`)).toMatchObject({ count: data.length })
    }
  })
})
