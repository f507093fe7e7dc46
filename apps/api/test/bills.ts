import type { Event, Invoice, InvoiceItem } from '@merchant-payments/contract'
import { expect } from 'vitest'
import { type Replica, settle, type TestAnswer, type TestApi, type TestCall } from './harness.ts'
import { eventsShown, insertCustomer } from './rows.ts'
import { confirmCall, type Ending } from './steps.ts'

type Extra = Omit<TestCall, 'path' | 'form'>

/** A draft of the merchant's, for a customer of its own unless one is named. */
export async function draftInvoice(api: TestApi, more = '', extra: Extra = {}): Promise<Invoice> {
  const customer = more.includes('customer=') ? '' : `&customer=${await insertCustomer(api, extra.merchant)}`
  const answer = await api.call({ path: '/v1/invoices', form: `currency=XAF${customer}${more}`, ...extra })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

/** A line of an invoice, of 5000 unless said otherwise. */
export async function addItem(
  api: Replica,
  invoice: string,
  more = 'amount=5000',
  extra: Extra = {},
): Promise<InvoiceItem> {
  const answer = await api.call(itemCall(invoice, more, extra))
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

export const itemCall = (invoice: string, more = 'amount=5000', extra: Extra = {}): TestCall => ({
  path: '/v1/invoice_items',
  form: `invoice=${invoice}&${more}`,
  ...extra,
})

export type InvoiceAction = 'finalize' | 'void' | 'mark_uncollectible' | 'pay'

export const actionCall = (
  id: string,
  action: InvoiceAction,
  extra: Omit<TestCall, 'path'> = {},
): TestCall => ({
  method: 'POST',
  path: `/v1/invoices/${id}/${action}`,
  ...extra,
})

export async function act(api: Replica, id: string, action: InvoiceAction): Promise<Invoice> {
  const answer = await api.call(actionCall(id, action))
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

/** With one line of 5000. */
export async function openInvoice(api: TestApi, more = ''): Promise<Invoice> {
  const { id } = await draftInvoice(api, more)
  await addItem(api, id)
  return act(api, id, 'finalize')
}

/** Pays an invoice and confirms its intent. @returns the intent's id */
export async function chargeInvoice(api: Replica, id: string, ending?: Ending): Promise<string> {
  const { payment_intent: intent } = await act(api, id, 'pay')
  expect(await api.call(confirmCall(intent ?? '', ending))).toMatchObject({ status: 200 })
  return intent ?? ''
}

/** An invoice in any state. */
export async function invoiceIn(api: TestApi, status: Invoice['status']): Promise<Invoice> {
  if (status === 'draft') {
    const { id } = await draftInvoice(api)
    await addItem(api, id)
    return (await readInvoice(api, id)).body
  }
  const open = await openInvoice(api)
  switch (status) {
    case 'open':
      return open
    case 'void':
      return act(api, open.id, 'void')
    case 'uncollectible':
      return act(api, open.id, 'mark_uncollectible')
    case 'paid': {
      await chargeInvoice(api, open.id)
      await settle(api)
      const { body } = await readInvoice(api, open.id)
      expect(body.status).toBe('paid')
      return body
    }
  }
}

export const readInvoice = (api: Replica, id: string): Promise<TestAnswer> =>
  api.call({ path: `/v1/invoices/${id}` })

/** As an event shows it (spec 6.2). */
export const withoutLines = (invoice: Invoice): Invoice => ({
  ...invoice,
  lines: { ...invoice.lines, data: [] },
})

/** The events of one invoice, oldest first. */
export async function invoiceEventsOf(api: TestApi, id: string): Promise<Event[]> {
  await eventsShown(api)
  const { body } = await api.call({ path: '/v1/events?limit=100' })
  const events: Event[] = body.data
  return events.filter(({ data }) => data.object['id'] === id).reverse()
}

export const invoiceEventTypesOf = async (api: TestApi, id: string): Promise<string[]> =>
  (await invoiceEventsOf(api, id)).map(({ type }) => type)
