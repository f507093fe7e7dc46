import { invoiceStatuses } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { actionCall, invoiceIn, itemCall, readInvoice } from '../../bills.ts'
import { startTestApi, type TestCall } from '../../harness.ts'
import { eventTypesOf } from '../../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

type State = (typeof invoiceStatuses)[number]

/** Every operation that changes an invoice, with its result in each state: the next state, or the refusal. */
const table = {
  finalize: row('open', 'invoice_not_draft', 'invoice_not_draft', 'invoice_not_draft', 'invoice_not_draft'),
  pay: row('invoice_draft', 'open', 'invoice_paid', 'invoice_void', 'uncollectible'),
  void: row('invoice_draft', 'void', 'invoice_paid', 'invoice_void', 'void'),
  mark_uncollectible: row(
    'invoice_draft',
    'uncollectible',
    'invoice_paid',
    'invoice_void',
    'invoice_uncollectible',
  ),
  delete: row('gone', 'invoice_not_draft', 'invoice_not_draft', 'invoice_not_draft', 'invoice_not_draft'),
  'update of its words': row('draft', 'open', 'paid', 'void', 'uncollectible'),
  'update of its terms': row(
    'draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
  ),
  'line added': row(
    'draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
  ),
  'line changed': row(
    'draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
  ),
  'line taken off': row(
    'draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
    'invoice_not_draft',
  ),
} as const

type Operation = keyof typeof table
type Verdict = (typeof table)[Operation][State]

function row<const D, const O, const P, const V, const U>(
  draft: D,
  open: O,
  paid: P,
  voided: V,
  uncollectible: U,
) {
  return { draft, open, paid, void: voided, uncollectible }
}

function callOf(operation: Operation, id: string, line: string): TestCall {
  switch (operation) {
    case 'delete':
      return { method: 'DELETE', path: `/v1/invoices/${id}` }
    case 'update of its words':
      return { path: `/v1/invoices/${id}`, form: 'description=June&metadata[a]=b' }
    case 'update of its terms':
      return { path: `/v1/invoices/${id}`, form: 'description=June&due_date=2000000000' }
    case 'line added':
      return itemCall(id)
    case 'line changed':
      return { path: `/v1/invoice_items/${line}`, form: 'amount=4' }
    case 'line taken off':
      return { method: 'DELETE', path: `/v1/invoice_items/${line}` }
    case 'finalize':
    case 'pay':
    case 'void':
    case 'mark_uncollectible':
      return actionCall(id, operation)
  }
}

const isState = (verdict: Verdict): verdict is State & Verdict =>
  (invoiceStatuses as readonly string[]).includes(verdict)

const pairs = invoiceStatuses.flatMap((state) =>
  (Object.keys(table) as Operation[]).map((operation) => [state, operation] as const),
)

describe('an invoice that is', () => {
  test.each(pairs)('%s: %s', async (state, operation) => {
    const before = await invoiceIn(api, state)
    const types = await eventTypesOf(api, before.id)
    const answer = await api.call(callOf(operation, before.id, before.lines.data[0]?.id ?? ''))
    const after = await readInvoice(api, before.id)
    const verdict = table[operation][state]
    if (verdict === 'gone') return expect(after).toBeRefusal('resource_missing')
    if (isState(verdict)) {
      expect(answer.status).toBe(200)
      return expect(after.body.status).toBe(verdict)
    }
    expect(answer).toBeRefusal(verdict)
    expect(after.body).toEqual(before)
    expect(await eventTypesOf(api, before.id)).toEqual(types)
  })
})

describe('the description of an invoice', () => {
  test.each(['open', 'paid', 'void', 'uncollectible'] as const)(
    'can change if the invoice is %s',
    async (state) => {
      const before = await invoiceIn(api, state)
      const path = `/v1/invoices/${before.id}`
      const answer = await api.call({ path, form: 'description=June&metadata[a]=b' })
      expect(answer.body).toEqual({ ...before, description: 'June', metadata: { a: 'b' } })
      expect((await api.call({ path, form: '' })).body).toEqual(answer.body)
    },
  )
})
