import { type InvoiceStatus, Refusal } from '@merchant-payments/contract'

/** As in spec 4.3.5 for a customer: a foreign, an unknown and an ill-formed id in a body get the same 400. */
export const noIntentOfBody = () =>
  new Refusal('invalid_request', 'No such payment intent.', { param: 'payment_intent' })

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
