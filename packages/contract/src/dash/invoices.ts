import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { idFilter, idParam } from '../form.ts'
import { Invoice } from '../invoices.ts'
import { listOf } from '../list.ts'
import { change, merchantField, staffListQuery, staffRead } from './common.ts'
import { invoiceStatuses } from '../words.ts'

/** An invoice; `lines.data` is empty in a list. */
export const StaffInvoice = Invoice.extend({ merchant: merchantField }).meta({
  id: 'StaffInvoice',
  description: 'An invoice of a merchant. `lines.data` is empty in a list.',
})
export type StaffInvoice = z.infer<typeof StaffInvoice>

export const listStaffInvoices = staffRead({
  id: 'invoices.list',
  path: '/invoices',
  summary: 'List invoices of all merchants, without their lines',
  description: ['Pages through the invoices of all merchants, newest first. All given filters must hold.'],
  query: z.strictObject({
    ...staffListQuery('in'),
    status: z
      .enum(invoiceStatuses, `must be one of ${invoiceStatuses.join(', ')}`)
      .optional()
      .describe('Shows invoices in this state.'),
    customer: idFilter('cus').describe('Shows invoices of this customer.'),
  }),
  schema: listOf(StaffInvoice),
  ok: 'One page of invoices.',
  example: { params: { status: 'open' }, answer: { object: 'list' } },
})

export const retrieveStaffInvoice = staffRead({
  id: 'invoices.retrieve',
  path: '/invoices/{id}',
  summary: 'Open an invoice with its lines',
  description: ['Reads an invoice with all of its lines.'],
  params: z.object({ id: idParam('in') }),
  schema: StaffInvoice,
  ok: 'The invoice.',
  example: {
    id: exampleIds.openInvoice,
    answer: { id: exampleIds.openInvoice, object: 'invoice', status: 'open' },
  },
})

export const voidStaffInvoice = change({
  id: 'invoices.void',
  role: 'operator',
  path: '/invoices/{id}/void',
  prefix: 'in',
  summary: 'Void an invoice for a merchant',
  description: ['Voids an open or uncollectible invoice, as the merchant’s own call does.'],
  errors: ['invoice_draft', 'invoice_paid', 'invoice_void', 'charge_in_progress'],
  example: {
    id: exampleIds.openInvoice,
    params: { reason: 'Billed twice.' },
    answer: { object: 'audit_entry', action: 'invoice.void', target: exampleIds.openInvoice },
  },
})

export const markStaffInvoiceUncollectible = change({
  id: 'invoices.markUncollectible',
  role: 'operator',
  path: '/invoices/{id}/mark_uncollectible',
  prefix: 'in',
  summary: 'Write an invoice off for a merchant',
  description: ['Marks an open invoice as uncollectible, as the merchant’s own call does.'],
  errors: ['invoice_draft', 'invoice_paid', 'invoice_void', 'invoice_uncollectible', 'charge_in_progress'],
  example: {
    id: exampleIds.openInvoice,
    params: { reason: 'The customer has closed.' },
    answer: { object: 'audit_entry', action: 'invoice.mark_uncollectible', target: exampleIds.openInvoice },
  },
})
