import type { CheckoutSession } from '@merchant-payments/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../../harness.ts'
import { createSession } from '../../../sessions.ts'
import { pageFaults, walk } from '../../pages.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const COUNT = 12
/** Newest first, as a list shows them. */
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

  test('a cursor shows what is just older or just newer', async () => {
    expect((await list(`?limit=5&starting_after=${idOf(4)}`)).body).toEqual(page(5, 10, true))
    expect((await list(`?limit=5&ending_before=${idOf(5)}`)).body).toEqual(page(0, 5, false))
  })

  test.each([1, 5, 12, 100])('pages of %i cover the list exactly once, in both directions', async (size) => {
    expect(await walk(api, '/v1/checkout/sessions', size, 'starting_after')).toEqual(sessions)
    expect(await walk(api, '/v1/checkout/sessions', size, 'ending_before')).toEqual(sessions.toReversed())
  })

  test('a merchant sees its own', async () => {
    expect((await list('', 'globex')).body.data).toHaveLength(1)
    expect((await list('', 'nobody')).body).toEqual(page(0, 0, false))
  })
})

describe('400', () => {
  test.each(pageFaults(() => idOf(0)))('%s is refused by name', async (_, query, param) => {
    expect(await list(query())).toBeRefusal('invalid_request', param)
  })

  test.each(['payment_intent=pi_1', 'customer=cus_1', 'status=open', 'created[gte]=1'])(
    'the unknown filter %s is refused',
    async (filter) => {
      expect(await list(`?${filter}`)).toBeRefusal('invalid_request', filter.replace(/[[=].*/, ''))
    },
  )
})
