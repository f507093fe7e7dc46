import { Refusal } from '@merchant-payments/contract'

export const noSuchInvoice = () => new Refusal('resource_missing', 'No such invoice.')

/** Spec 4.3.5, which asks this for a customer: a foreign and a missing one get the same 400. */
export const noInvoiceOfBody = () => new Refusal('invalid_request', 'No such invoice.', { param: 'invoice' })

export const noSuchItem = () => new Refusal('resource_missing', 'No such invoice item.')

export const invoiceNotDraft = () =>
  new Refusal('invoice_not_draft', 'This invoice is no longer a draft: it keeps its lines and terms.')

export const alreadyUncollectible = () =>
  new Refusal('invoice_uncollectible', 'This invoice is already marked uncollectible.')

export const invoiceCharging = () =>
  new Refusal(
    'charge_in_progress',
    'A charge of this invoice is being resolved with the rail. Poll its payment intent with GET.',
  )

export const notBillable = (message: string) => new Refusal('invalid_request', message, { param: 'lines' })
