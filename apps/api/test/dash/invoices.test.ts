import { afterAll, describe, expect, test } from 'vitest'
import { chargeInvoice, draftInvoice, invoiceIn, openInvoice, readInvoice, withoutLines } from '../bills.ts'
import { startStaffApi } from './staff.ts'
import { eventTypesOf } from '../steps.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

const ids = async (query: string) =>
  (await omar.get(`/invoices?${query}`)).body.data.map(({ id }: { id: string }) => id)

describe('dash.invoices.list', () => {
  test('200: invoices of every merchant, without lines, and each filter shows only matching ones', async () => {
    const draft = await draftInvoice(api, '', { merchant: 'globex' })
    const open = await openInvoice(api)
    expect((await omar.get('/invoices')).body.data).toEqual([
      { ...withoutLines(open), merchant: 'acme' },
      { ...withoutLines(draft), merchant: 'globex' },
    ])
    expect(await ids('status=draft')).toEqual([draft.id])
    expect(await ids(`customer=${open.customer}`)).toEqual([open.id])
    expect(await ids('merchant=globex&status=open')).toEqual([])
  })

  test('400: an unknown status', async () => {
    expect(await omar.get('/invoices?status=late')).toBeRefusal('invalid_request', 'status')
  })
})

describe('dash.invoices.retrieve', () => {
  test('200: with its lines', async () => {
    const open = await openInvoice(api)
    expect((await omar.get(`/invoices/${open.id}`)).body).toEqual({ ...open, merchant: 'acme' })
  })
})

describe('dash.invoices.void', () => {
  test('200: by the merchant’s own command, with its event; 409 if it cannot be voided', async () => {
    const { id } = await openInvoice(api)
    const { status, body } = await omar.post(`/invoices/${id}/void`, { reason: 'Billed twice.' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'invoice.void',
      target: id,
      before: { status: 'open' },
      after: { status: 'void' },
    })
    expect((await readInvoice(api, id)).body.status).toBe('void')
    expect(await eventTypesOf(api, id)).toContain('invoice.voided')
    expect(await omar.post(`/invoices/${id}/void`, { reason: 'Again.' })).toBeRefusal('invoice_void')
    const draft = await draftInvoice(api)
    expect(await omar.post(`/invoices/${draft.id}/void`, { reason: 'Draft.' })).toBeRefusal('invoice_draft')
    const paid = await invoiceIn(api, 'paid')
    expect(await omar.post(`/invoices/${paid.id}/void`, { reason: 'Paid.' })).toBeRefusal('invoice_paid')
  })

  test('409: while a charge may still succeed', async () => {
    const { id } = await openInvoice(api)
    await chargeInvoice(api, id, 'staysPending')
    expect(await omar.post(`/invoices/${id}/void`, { reason: 'No.' })).toBeRefusal('charge_in_progress')
  })
})

describe('dash.invoices.markUncollectible', () => {
  test('200, and 409 the second time', async () => {
    const { id } = await openInvoice(api)
    const path = `/invoices/${id}/mark_uncollectible`
    const { body } = await omar.post(path, { reason: 'Bankrupt.' })
    expect(body).toMatchObject({
      action: 'invoice.mark_uncollectible',
      before: { status: 'open' },
      after: { status: 'uncollectible' },
    })
    expect(await omar.post(path, { reason: 'Again.' })).toBeRefusal('invoice_uncollectible')
  })

  test.each([
    ['draft', 'invoice_draft'],
    ['paid', 'invoice_paid'],
    ['void', 'invoice_void'],
  ] as const)('409: an invoice that is %s', async (status, code) => {
    const { id } = await invoiceIn(api, status)
    const path = `/invoices/${id}/mark_uncollectible`
    expect(await omar.post(path, { reason: 'No.' })).toBeRefusal(code)
  })

  test('409: while a charge may still succeed', async () => {
    const { id } = await openInvoice(api)
    await chargeInvoice(api, id, 'staysPending')
    const path = `/invoices/${id}/mark_uncollectible`
    expect(await omar.post(path, { reason: 'No.' })).toBeRefusal('charge_in_progress')
  })
})
