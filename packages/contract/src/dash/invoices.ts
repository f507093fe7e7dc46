import { z } from 'zod'
import { idFilter, idParam } from '../form.ts'
import { Invoice, invoiceStatuses } from '../invoices.ts'
import { listOf } from '../list.ts'
import { change, staffListQuery, staffRead } from './common.ts'

/** An invoice; `lines.data` is empty in a list. */
export const StaffInvoice = Invoice.extend({ merchant: z.string() })
export type StaffInvoice = z.infer<typeof StaffInvoice>

export const listStaffInvoices = staffRead({
  id: 'invoices.list',
  path: '/invoices',
  query: z.strictObject({
    ...staffListQuery('in'),
    status: z.enum(invoiceStatuses, `must be one of ${invoiceStatuses.join(', ')}`).optional(),
    customer: idFilter('cus'),
  }),
  schema: listOf(StaffInvoice),
})

export const retrieveStaffInvoice = staffRead({
  id: 'invoices.retrieve',
  path: '/invoices/{id}',
  params: z.object({ id: idParam('in') }),
  schema: StaffInvoice,
})

export const voidStaffInvoice = change({
  id: 'invoices.void',
  role: 'operator',
  path: '/invoices/{id}/void',
  prefix: 'in',
})

export const markStaffInvoiceUncollectible = change({
  id: 'invoices.markUncollectible',
  role: 'operator',
  path: '/invoices/{id}/mark_uncollectible',
  prefix: 'in',
})
