import type { Customer } from '@merchant-payments/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCustomer } from '../../customer-steps.ts'
import { startTestApi } from '../../harness.ts'
import { eraseCustomer } from '../../rows.ts'
import { testPages, testRefusedQueries } from '../pages.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const COUNT = 13
/** Newest first, as in a list. */
const customers: Customer[] = []
const idOf = (n: number) => customers.at(n)?.id ?? ''

beforeAll(async () => {
  for (let n = 0; n < COUNT; n += 1)
    customers.unshift(await createCustomer(api, `name=N${n}&metadata[n]=${n}`))
  for (let n = 0; n < 3; n += 1) await createCustomer(api, 'name=Other', { merchant: 'globex' })
})

const list = (query = '', merchant = 'acme') => api.call({ path: `/v1/customers${query}`, merchant })
const page = (from: number, to: number, hasMore: boolean) => ({
  object: 'list',
  url: '/v1/customers',
  has_more: hasMore,
  data: customers.slice(from, to),
})

describe('200', () => {
  test('ten customers, newest first', async () => {
    const answer = await list()
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: page(0, 10, true) })
    expect(answer).toHaveRequestId()
  })

  testPages(api, '/v1/customers', () => customers, [1, 4, 13, 100])

  test('a foreign cursor shows only the caller’s own customers', async () => {
    const { body } = await list(`?limit=100&ending_before=${idOf(-1)}`, 'globex')
    expect(body.data).toHaveLength(3)
    expect(JSON.stringify(body)).not.toContain(idOf(5))
  })

  test('a merchant without customers has an empty list', async () => {
    expect((await list('', 'nobody')).body).toEqual(page(0, 0, false))
  })

  test('an erased customer is listed with its mark, which is an absent key on the others [§2.2, §4.2]', async () => {
    const kept = await createCustomer(api, 'name=Kept', { merchant: 'eraser' })
    const erased = await createCustomer(api, 'name=Gone', { merchant: 'eraser' })
    await eraseCustomer(api, erased.id)
    const { body } = await list('', 'eraser')
    expect(body.data).toEqual([
      expect.objectContaining({ id: erased.id, name: '[redacted]', deleted: true }),
      kept,
    ])
    expect(kept).not.toHaveProperty('deleted')
  })

  test('expand is ignored', async () => {
    expect((await list('?expand[]=data.address')).body).toEqual(page(0, 10, true))
  })
})

describe('400', () => {
  testRefusedQueries(api, '/v1/customers', () => idOf(0), {
    unknown: ['email=awa%40shop.example', 'phone=237670000001', 'name=Awa', 'created[gte]=1', 'deleted=true'],
  })
})
