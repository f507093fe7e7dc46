import { afterAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice, readInvoice } from '../../bills.ts'
import { EURO_RAIL, PUSH_RAIL, startTestApi } from '../../harness.ts'
import { eventTypesOf } from '../../steps.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const update = (id: string, form: string, method: 'POST' | 'PATCH' = 'POST') =>
  api.call({ method, path: `/v1/invoices/${id}`, form })

describe('200', () => {
  test.each(['POST', 'PATCH'] as const)(
    '%s changes the fields that are sent, and nothing else',
    async (method) => {
      const draft = await draftInvoice(
        api,
        `&description=May&due_date=1900000000&metadata[a]=1&metadata[b]=2&payment_method_types[]=${PUSH_RAIL}`,
      )
      const item = await addItem(api, draft.id)
      const form = `description=June&metadata[a]=&metadata[c]=3&payment_method_types[]=${EURO_RAIL}`
      const answer = await update(draft.id, form, method)
      const whole = { subtotal: 5000, total: 5000, amount_due: 5000, amount_remaining: 5000 }
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 200,
        body: {
          ...draft,
          ...whole,
          description: 'June',
          metadata: { b: '2', c: '3' },
          payment_method_types: [EURO_RAIL],
          lines: { ...draft.lines, data: [item] },
        },
      })
      expect((await readInvoice(api, draft.id)).body).toEqual(answer.body)
      expect(await eventTypesOf(api, draft.id)).toEqual(['invoice.created'])
    },
  )

  test.each([
    ['an empty body', '', {}],
    ['unknown parameters', 'customer=cus_x&currency=EUR&status=paid&number=4&total=1', {}],
    ['an empty description', 'description=', { description: null }],
    ['an empty due date', 'due_date=', { due_date: null }],
    ['another due date', 'due_date=2000000000', { due_date: 2_000_000_000 }],
    ['an empty list of rails', 'payment_method_types=', { payment_method_types: [] }],
    ['metadata that is not there', 'metadata[zz]=', {}],
    ['an empty value in place of the map of metadata', 'metadata=', { metadata: {} }],
  ])('%s', async (_, form, changes) => {
    const draft = await draftInvoice(
      api,
      `&description=May&due_date=1900000000&metadata[a]=1&payment_method_types[]=${PUSH_RAIL}`,
    )
    expect((await update(draft.id, form)).body).toEqual({ ...draft, ...changes })
  })

  test('concurrent updates of one invoice all take effect completely', async () => {
    const { id } = await draftInvoice(api)
    const numbers = Array.from({ length: 20 }, (_, n) => n)
    const answers = await Promise.all([
      ...numbers.map((n) => update(id, `metadata[k${n}]=v`)),
      ...numbers.map(() => addItem(api, id, 'amount=10').then(() => ({ status: 200 }))),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { body } = await readInvoice(api, id)
    expect(Object.keys(body.metadata)).toHaveLength(20)
    expect({ total: body.total, lines: body.lines.data.length }).toEqual({ total: 200, lines: 20 })
  })
})

describe('400', () => {
  test.each([
    ['a long description', `description=${'x'.repeat(1001)}`, 'description'],
    ['a description that is a list', 'description[]=x', 'description'],
    ['a due date that is a word', 'due_date=tomorrow', 'due_date'],
    ['both ways of being due', 'due_date=1900000000&days_until_due=3', 'days_until_due'],
    ['no due date, in so many days', 'due_date=&days_until_due=3', 'days_until_due'],
    ['an unknown rail', 'payment_method_types[]=card', 'payment_method_types[0]'],
    ['rails that are no list', 'payment_method_types=card', 'payment_method_types'],
    ['a long value of metadata', `metadata[a]=${'v'.repeat(501)}`, 'metadata[a]'],
    ['metadata that is a value', 'metadata=x', 'metadata'],
  ])('%s is refused by name, and changes nothing', async (_, form, param) => {
    const draft = await draftInvoice(api)
    expect(await update(draft.id, form)).toBeRefusal('invalid_request', param)
    expect((await readInvoice(api, draft.id)).body).toEqual(draft)
  })

  test('more than 50 keys of metadata after the merge', async () => {
    const keys = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `metadata[k${from + n}]=v`).join('&')
    const draft = await draftInvoice(api, `&${keys(0, 50)}`)
    expect(await update(draft.id, keys(50, 51))).toBeRefusal('invalid_request', 'metadata')
    expect((await update(draft.id, `${keys(50, 51)}&metadata[k0]=`)).status).toBe(200)
  })

  test('a PATCH without a key [§4.2]', async () => {
    const { id } = await draftInvoice(api)
    const answer = await api.call({ method: 'PATCH', path: `/v1/invoices/${id}`, key: null })
    expect(answer).toBeRefusal('invalid_request', 'idempotency_key')
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await draftInvoice(api)
    expect(
      await answerToStrangers(api, id, (strange) => ({
        path: `/v1/invoices/${strange}`,
        form: 'description=x',
      })),
    ).toBeRefusal('resource_missing')
  })
})
