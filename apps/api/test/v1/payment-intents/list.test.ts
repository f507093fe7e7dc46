import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../harness.ts'
import { createIntent, withoutSecret } from '../../steps.ts'
import { testPages, testRefusedQueries } from '../pages.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const COUNT = 23
/** Newest first, as in a list. */
const intents: { id: string }[] = []
const idOf = (n: number) => intents.at(n)?.id ?? ''

beforeAll(async () => {
  for (let n = 0; n < COUNT; n += 1) {
    intents.unshift(withoutSecret(await createIntent(api, `&metadata[n]=${n}`)))
  }
  for (let n = 0; n < 3; n += 1) await createIntent(api, '', { merchant: 'globex' })
})

const list = (query = '', merchant = 'acme') => api.call({ path: `/v1/payment_intents${query}`, merchant })
const page = (from: number, to: number, hasMore: boolean) => ({
  object: 'list',
  url: '/v1/payment_intents',
  has_more: hasMore,
  data: intents.slice(from, to),
})

describe('200', () => {
  test('ten intents, newest first, without their secrets [§2.4]', async () => {
    const answer = await list()
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: page(0, 10, true) })
    expect(answer.text).not.toContain('secret')
    expect(answer).toHaveRequestId()
  })

  test.each([
    ['one', 1, 1, true],
    ['one less than all', COUNT - 1, COUNT - 1, true],
    ['exactly all', COUNT, COUNT, false],
    ['a hundred', 100, COUNT, false],
  ])('limit: %s', async (_, limit, shown, hasMore) => {
    expect((await list(`?limit=${limit}`)).body).toEqual(page(0, shown, hasMore))
  })

  test('starting_after shows the next older intents [§2.1]', async () => {
    expect((await list(`?limit=5&starting_after=${idOf(4)}`)).body).toEqual(page(5, 10, true))
    expect((await list(`?limit=5&starting_after=${idOf(17)}`)).body).toEqual(page(18, 23, false))
    expect((await list(`?limit=5&starting_after=${idOf(-1)}`)).body).toEqual(page(0, 0, false))
  })

  test('ending_before shows the next newer intents, newest first, and has_more is about newer ones [§2.1]', async () => {
    expect((await list(`?limit=5&ending_before=${idOf(20)}`)).body).toEqual(page(15, 20, true))
    expect((await list(`?limit=5&ending_before=${idOf(5)}`)).body).toEqual(page(0, 5, false))
    expect((await list(`?limit=5&ending_before=${idOf(3)}`)).body).toEqual(page(0, 3, false))
    expect((await list(`?limit=5&ending_before=${idOf(0)}`)).body).toEqual(page(0, 0, false))
  })

  testPages(api, '/v1/payment_intents', () => intents, [1, 2, 7, 22, 23, 100])

  test('a foreign cursor shows only the caller’s own intents', async () => {
    const { body } = await list(`?limit=100&ending_before=${idOf(-1)}`, 'globex')
    expect(body.data).toHaveLength(3)
    expect(JSON.stringify(body)).not.toContain(idOf(5))
  })

  test('a merchant without intents has an empty list', async () => {
    expect((await list('', 'nobody')).body).toEqual(page(0, 0, false))
  })

  test('expand is ignored [§2.4]', async () => {
    for (const query of ['?expand=customer', '?expand[]=data.customer', '?expand[0]=a&expand[1]=b']) {
      expect((await list(query)).body).toEqual(page(0, 10, true))
    }
  })

  test('encoded brackets, empty pairs and a lone question mark are accepted', async () => {
    for (const query of ['?', '?&&', '?expand%5B%5D=a&limit=10', '?limit=1%30']) {
      expect((await list(query)).body).toEqual(page(0, 10, true))
    }
  })
})

describe('400', () => {
  testRefusedQueries(api, '/v1/payment_intents', () => idOf(0), {
    unknown: ['created[gte]=1', 'customer=cus_1', 'email=a%40b.cm', 'status=succeeded', 'page=2', 'Limit=1'],
  })
})
