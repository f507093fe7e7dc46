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

  describe('pages [§2.1]', () => {
    testPages(api, '/v1/payment_intents', () => intents, [1, 2, 7, 22, 23, 100])
  })

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
