import type { Invoice, InvoiceItem } from '@merchant-payments/contract'
import { expect } from 'vitest'
import { type Extra, type Replica, settle, type TestAnswer, type TestApi, type TestCall } from './harness.ts'
import { insertCustomer } from './rows.ts'
import { confirmCall, type Ending } from './steps.ts'

/** A draft of the merchant, for a new customer unless one is given. */
export async function draftInvoice(api: TestApi, more = '', extra: Extra = {}): Promise<Invoice> {
  const customer = more.includes('customer=') ? '' : `&customer=${await insertCustomer(api, extra.merchant)}`
  const answer = await api.call({ path: '/v1/invoices', form: `currency=XAF${customer}${more}`, ...extra })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

/** A line of an invoice, with an amount of 5000 by default. */
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

export async function act(
  api: Replica,
  id: string,
  action: InvoiceAction,
  extra: Extra = {},
): Promise<Invoice> {
  const answer = await api.call(actionCall(id, action, extra))
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

/** With one line of 5000. */
export async function openInvoice(api: TestApi, more = '', extra: Extra = {}): Promise<Invoice> {
  const { id } = await draftInvoice(api, more, extra)
  await addItem(api, id, undefined, extra)
  return act(api, id, 'finalize', extra)
}

/** Pays an invoice and confirms its intent. @returns the intent's id */
export async function chargeInvoice(
  api: Replica,
  id: string,
  ending?: Ending,
  extra: Extra = {},
): Promise<string> {
  const { payment_intent: intent } = await act(api, id, 'pay', extra)
  expect(await api.call(confirmCall(intent ?? '', ending, extra))).toMatchObject({ status: 200 })
  return intent ?? ''
}

/** An invoice in any state. */
export async function invoiceIn(
  api: TestApi,
  status: Invoice['status'],
  more = '',
  extra: Extra = {},
): Promise<Invoice> {
  if (status === 'draft') {
    const { id } = await draftInvoice(api, more, extra)
    await addItem(api, id, undefined, extra)
    return (await readInvoice(api, id, extra)).body
  }
  const open = await openInvoice(api, more, extra)
  switch (status) {
    case 'open':
      return open
    case 'void':
      return act(api, open.id, 'void', extra)
    case 'uncollectible':
      return act(api, open.id, 'mark_uncollectible', extra)
    case 'paid': {
      await chargeInvoice(api, open.id, undefined, extra)
      await settle(api)
      const { body } = await readInvoice(api, open.id, extra)
      expect(body.status).toBe('paid')
      return body
    }
  }
}

export const readInvoice = (api: Replica, id: string, extra: Extra = {}): Promise<TestAnswer> =>
  api.call({ path: `/v1/invoices/${id}`, ...extra })

/** The invoice as events show it (spec 6.2). */
export const withoutLines = (invoice: Invoice): Invoice => ({
  ...invoice,
  lines: { ...invoice.lines, data: [] },
})
