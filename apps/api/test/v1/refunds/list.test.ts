import type { Refund } from '@merchant-payments/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../harness.ts'
import { createRefund, refundCall } from '../../refunds.ts'
import { succeededIntent } from '../../steps.ts'
import {
  combinations,
  createdFaults,
  createdFilters,
  fieldFilters,
  filteredPages,
  keptPages,
  valueFaults,
} from '../filters.ts'
import { testPages, testRefusedQueries } from '../pages.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const COUNT = 13
/** Newest first, as in a list, alternately of two payments. */
const refunds: Refund[] = []
let intents: readonly string[] = []
const idOf = (n: number) => refunds.at(n)?.id ?? ''

beforeAll(async () => {
  intents = [(await succeededIntent(api)).id, (await succeededIntent(api)).id]
  for (let n = 0; n < COUNT; n += 1) {
    refunds.unshift(await createRefund(api, intents[n % 2] ?? '', `&amount=${n + 1}`))
    if (n % 3 === 0) api.advance(1_000)
  }
})

const list = (query = '', merchant = 'acme') => api.call({ path: `/v1/refunds${query}`, merchant })
const page = (data: readonly object[], hasMore: boolean) => ({
  object: 'list',
  url: '/v1/refunds',
  has_more: hasMore,
  data,
})
/** Refunds of one of the two payments. */
const ofIntent = (turn: 0 | 1) =>
  refunds
    .toReversed()
    .filter((_, n) => n % 2 === turn)
    .toReversed()

describe('200', () => {
  test('ten refunds, newest first', async () => {
    const answer = await list()
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: page(refunds.slice(0, 10), true),
    })
    expect(answer).toHaveRequestId()
  })

  testPages(api, '/v1/refunds', () => refunds, [1, 4, 13, 100])

  test('payment_intent: the refunds of one payment, page by page', async () => {
    const [first = '', second = ''] = intents
    expect((await list(`?payment_intent=${first}`)).body).toEqual(page(ofIntent(0), false))
    expect((await list(`?payment_intent=${second}&limit=2`)).body).toEqual(
      page(ofIntent(1).slice(0, 2), true),
    )
    const after = ofIntent(1)[1]?.id
    expect((await list(`?payment_intent=${second}&limit=2&starting_after=${after}`)).body).toEqual(
      page(ofIntent(1).slice(2, 4), true),
    )
  })

  test('each filter and each combination applies to every page, in both directions', async () => {
    const filters = combinations<Refund>([
      fieldFilters('payment_intent', intents),
      createdFilters(refunds[6]?.created ?? 0),
    ])
    expect(await filteredPages(api, '/v1/refunds', filters)).toEqual(keptPages(filters, refunds))
  })

  test('payment_intent: an unknown or foreign intent has no refunds', async () => {
    const none = page([], false)
    expect((await list('?payment_intent=pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70')).body).toEqual(none)
    expect((await list(`?payment_intent=${intents[0]}`, 'globex')).body).toEqual(none)
    expect((await list('', 'globex')).body).toEqual(none)
  })

  test('expand is ignored', async () => {
    expect((await list('?expand[]=data.payment_intent&limit=1')).body).toEqual(
      page(refunds.slice(0, 1), true),
    )
  })
})

describe('400', () => {
  testRefusedQueries(api, '/v1/refunds', () => idOf(0), {
    faults: [...valueFaults('payment_intent', 're_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'), ...createdFaults],
    unknown: ['charge=ch_1', 'status=failed', 'customer=cus_1'],
  })
})

test('a create that was refused is not listed', async () => {
  await api.call(refundCall(intents[0] ?? '', '&amount=99999'))
  expect((await list('?limit=100')).body.data).toHaveLength(COUNT)
})
