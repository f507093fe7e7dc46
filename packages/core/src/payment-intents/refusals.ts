import { type InvoiceStatus, Refusal } from '@merchant-payments/contract'

/* Sessions and invoices refuse their own changes for the same reasons. */

export const sessionNotOpen = () =>
  new Refusal('session_not_open', 'This checkout session has ended. Create a new checkout session.')

export const notPayable = (status: Exclude<InvoiceStatus, 'open' | 'uncollectible'>) => {
  switch (status) {
    case 'draft':
      return new Refusal('invoice_draft', 'This invoice is a draft. Finalize it first.')
    case 'paid':
      return new Refusal('invoice_paid', 'This invoice is paid.')
    case 'void':
      return new Refusal('invoice_void', 'This invoice is void.')
  }
}
