import type { Invoice } from '@merchant-payments/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice, invoiceIn, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { insertCustomer } from '../../rows.ts'
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

const COUNT = 7
/** Newest first, as in a list. */
const invoices: Invoice[] = []
const idOf = (n: number) => invoices.at(n)?.id ?? ''

beforeAll(async () => {
  for (let n = 0; n < COUNT; n += 1) {
    const { id } = await draftInvoice(api, `&metadata[n]=${n}`)
    for (let line = 0; line < n; line += 1) await addItem(api, id, `amount=${line + 1}`)
    invoices.unshift((await readInvoice(api, id)).body)
  }
  await draftInvoice(api, '', { merchant: 'globex' })
})

const list = (query = '', merchant = 'acme') => api.call({ path: `/v1/invoices${query}`, merchant })
const page = (from: number, to: number, hasMore: boolean) => ({
  object: 'list',
  url: '/v1/invoices',
  has_more: hasMore,
  data: invoices.slice(from, to),
})

describe('200', () => {
  test('invoices, newest first, each with all of its lines', async () => {
    const answer = await list()
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: page(0, COUNT, false) })
    expect(invoices.map(({ lines }) => lines.data.length)).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(answer).toHaveRequestId()
  })

  testPages(api, '/v1/invoices', () => invoices, [1, 3, 7, 100])

  test('no cursor shows invoices of another merchant', async () => {
    const { body } = await list(`?limit=100&ending_before=${idOf(-1)}`, 'globex')
    expect(body.data).toHaveLength(1)
    expect((await list('', 'nobody')).body).toEqual(page(0, 0, false))
  })
})

describe('200: filters', () => {
  const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const
  const merchant = 'shop'
  let customers: readonly string[] = []
  let shown: Invoice[] = []

  beforeAll(async () => {
    customers = [await insertCustomer(api, merchant), await insertCustomer(api, merchant)]
    for (let n = 0; n < 2 * statuses.length; n += 1) {
      await invoiceIn(api, statuses[n % 5] ?? 'draft', `&customer=${customers[n % 3 === 0 ? 0 : 1]}`, {
        merchant,
      })
      if (n % 3 === 0) api.advance(1_000)
    }
    shown = (await list('?limit=100', merchant)).body.data
  })

  test('each filter and each combination applies to every page, in both directions', async () => {
    const filters = combinations<Invoice>([
      fieldFilters('status', statuses),
      fieldFilters('customer', customers),
      createdFilters(shown[5]?.created ?? 0),
    ])
    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(statuses))
    expect(await filteredPages(api, '/v1/invoices', filters, merchant)).toEqual(keptPages(filters, shown))
  })

  test('an unknown or foreign customer has no invoices', async () => {
    for (const customer of ['cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', customers[0]]) {
      expect((await list(`?customer=${customer}`)).body).toEqual(page(0, 0, false))
    }
  })
})

describe('400', () => {
  testRefusedQueries(api, '/v1/invoices', () => idOf(0), {
    faults: [
      ...valueFaults('customer', 'in_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'),
      ...valueFaults('status', 'DRAFT', 'unpaid', 'draft,open'),
      ...createdFaults,
    ],
    unknown: ['subscription=x', 'due_date=x', 'email=x'],
  })
})
