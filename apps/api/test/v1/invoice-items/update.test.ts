import type { InvoiceItem } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const update = (id: string, form: string, method: 'POST' | 'PATCH' = 'POST') =>
  api.call({ method, path: `/v1/invoice_items/${id}`, form })

const newItem = async () =>
  addItem(api, (await draftInvoice(api)).id, 'unit_amount=100&quantity=3&description=Rice&metadata[a]=1')

describe('200', () => {
  test.each(['POST', 'PATCH'] as const)(
    '%s changes the fields that are sent, and the total',
    async (method) => {
      const item = await newItem()
      await addItem(api, item.invoice, 'amount=1')
      const answer = await update(item.id, 'quantity=5&description=Beans&metadata[b]=2', method)
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 200,
        body: { ...item, quantity: 5, amount: 500, description: 'Beans', metadata: { a: '1', b: '2' } },
      })
      expect((await api.call({ path: `/v1/invoice_items/${item.id}` })).body).toEqual(answer.body)
      expect((await readInvoice(api, item.invoice)).body.total).toBe(501)
    },
  )

  const updates: readonly [string, string, Partial<InvoiceItem>][] = [
    ['an empty body', '', {}],
    ['a unit amount', 'unit_amount=-7', { unit_amount: -7, amount: -21 }],
    ['both parts', 'unit_amount=7&quantity=2', { unit_amount: 7, quantity: 2, amount: 14 }],
    ['an amount of one piece', 'amount=900', { unit_amount: 900, quantity: 1, amount: 900 }],
    ['an empty description', 'description=', { description: null }],
    ['a key of metadata removed', 'metadata[a]=', { metadata: {} }],
    ['all metadata removed', 'metadata=', { metadata: {} }],
    ['what an item has from its invoice', 'invoice=in_x&customer=cus_x&currency=EUR', {}],
  ]
  test.each(updates)('%s', async (_, form, changes) => {
    const item = await newItem()
    expect((await update(item.id, form)).body).toEqual({ ...item, ...changes })
    const { body } = await readInvoice(api, item.invoice)
    expect([body.total, body.lines.data]).toEqual([changes.amount ?? 300, [{ ...item, ...changes }]])
  })

  test('concurrent updates of lines leave the sum of the lines', async () => {
    const item = await newItem()
    const other = await addItem(api, item.invoice, 'amount=1')
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => update(n % 2 === 0 ? item.id : other.id, `amount=${n + 1}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { body } = await readInvoice(api, item.invoice)
    const amounts: number[] = body.lines.data.map(({ amount }: { amount: number }) => amount)
    expect(body.total).toBe(amounts.reduce((sum, amount) => sum + amount, 0))
  })
})

describe('400', () => {
  test.each([
    ['an amount of nothing', 'amount=0', 'amount'],
    ['an empty amount', 'amount=', 'amount'],
    ['an amount with a point', 'amount=1.5', 'amount'],
    ['an amount and a unit amount', 'amount=1&unit_amount=1', 'unit_amount'],
    ['an amount and a quantity', 'amount=1&quantity=1', 'quantity'],
    ['a unit amount that is too much for the quantity', 'unit_amount=99999999', 'unit_amount'],
    ['a quantity that is too much for the unit amount', 'quantity=999999999', 'quantity'],
    ['a product beyond the largest amount', 'quantity=999999&unit_amount=101', 'quantity'],
    ['a long description', `description=${'x'.repeat(1001)}`, 'description'],
    ['a NUL', 'description=a%00', 'description'],
  ])('%s is refused by name, and changes nothing', async (_, form, param) => {
    const item = await newItem()
    expect(await update(item.id, form)).toBeRefusal('invalid_request', param)
    expect((await readInvoice(api, item.invoice)).body).toMatchObject({ total: 300, lines: { data: [item] } })
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await newItem()
    expect(
      await answerToStrangers(api, id, (strange) => ({
        path: `/v1/invoice_items/${strange}`,
        form: 'amount=1',
      })),
    ).toBeRefusal('resource_missing')
  })
})
