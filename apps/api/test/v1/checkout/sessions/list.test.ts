import type { CheckoutSession } from '@merchant-payments/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settle, startTestApi } from '../../../harness.ts'
import { insertCustomer } from '../../../rows.ts'
import { createSession, expireCall } from '../../../sessions.ts'
import { confirmCall } from '../../../steps.ts'
import {
  combinations,
  createdFaults,
  createdFilters,
  fieldFilters,
  filteredPages,
  keptPages,
  valueFaults,
} from '../../filters.ts'
import { testPages, testRefusedQueries } from '../../pages.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const COUNT = 12
/** Newest first, as in a list. */
const sessions: CheckoutSession[] = []
const idOf = (n: number) => sessions.at(n)?.id ?? ''

beforeAll(async () => {
  for (let n = 0; n < COUNT; n += 1) {
    const { client_secret: _, ...shown } = await createSession(api, `&metadata[n]=${n}`)
    sessions.unshift(shown)
  }
  await createSession(api, '', { merchant: 'globex' })
})

const list = (query = '', merchant = 'acme') => api.call({ path: `/v1/checkout/sessions${query}`, merchant })
const page = (from: number, to: number, hasMore: boolean) => ({
  object: 'list',
  url: '/v1/checkout/sessions',
  has_more: hasMore,
  data: sessions.slice(from, to),
})

describe('200', () => {
  test('ten sessions, newest first, without their secrets', async () => {
    const answer = await list()
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: page(0, 10, true) })
    expect(answer.text).not.toContain('client_secret')
  })

  testPages(api, '/v1/checkout/sessions', () => sessions, [1, 5, 12, 100])

  test('a merchant sees only its own sessions', async () => {
    expect((await list('', 'globex')).body.data).toHaveLength(1)
    expect((await list('', 'nobody')).body).toEqual(page(0, 0, false))
  })
})

describe('200: filters', () => {
  const merchant = 'shop'
  let customers: readonly string[] = []
  /** Sessions in list order, of every status, alternately of two customers and none. */
  let shown: CheckoutSession[] = []

  beforeAll(async () => {
    customers = [await insertCustomer(api, merchant), await insertCustomer(api, merchant)]
    for (let n = 0; n < COUNT; n += 1) {
      const customer = customers[n % 3]
      const named = customer === undefined ? '' : `&customer=${customer}`
      const { id, payment_intent } = await createSession(api, named, { merchant })
      if (n % 4 === 1) await api.call(expireCall(id, { merchant }))
      if (n % 4 === 2) await api.call(confirmCall(payment_intent, 'approves', { merchant }))
      if (n % 2 === 0) api.advance(1_000)
    }
    await settle(api)
    shown = (await list('?limit=100', merchant)).body.data
  })

  test('each filter and each combination applies to every page, in both directions', async () => {
    const filters = combinations<CheckoutSession>([
      fieldFilters('status', ['open', 'complete', 'expired']),
      fieldFilters('customer', customers),
      fieldFilters(
        'payment_intent',
        [0, 1].map((n) => shown[n]?.payment_intent ?? ''),
      ),
      createdFilters(shown[6]?.created ?? 0),
    ])
    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['open', 'complete', 'expired']))
    expect(await filteredPages(api, '/v1/checkout/sessions', filters, merchant)).toEqual(
      keptPages(filters, shown),
    )
  })

  test('an unknown or foreign customer or intent has no sessions', async () => {
    const none = page(0, 0, false)
    const unknown = '0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
    for (const filter of [
      `customer=cus_${unknown}`,
      `payment_intent=pi_${unknown}`,
      `customer=${customers[0]}`,
      `payment_intent=${shown[0]?.payment_intent}`,
    ]) {
      expect((await list(`?${filter}`)).body).toEqual(none)
    }
  })
})

describe('400', () => {
  testRefusedQueries(api, '/v1/checkout/sessions', () => idOf(0), {
    faults: [
      ...valueFaults('payment_intent', 'cs_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'),
      ...valueFaults('customer', 'pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'),
      ...valueFaults('status', 'OPEN', 'paid', 'open,complete'),
      ...createdFaults,
    ],
    unknown: ['email=awa%40shop.example', 'payment_status=paid', 'subscription=sub_1'],
  })
})
