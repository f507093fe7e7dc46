import { type InvoiceStatus, Refusal } from '@merchant-payments/contract'

/*
 * What a payment is refused for because of its session or its invoice. Sessions and invoices refuse their own changes
 * for the same reasons.
 */

export const sessionNotOpen = () =>
  new Refusal('session_not_open', 'This checkout session has ended. Create a new checkout session.')

/** Why an invoice in this state can be neither paid nor closed. */
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
