import { type InvoiceStatus, Refusal } from '@merchant-payments/contract'

export const noSuchInvoice = () => new Refusal('resource_missing', 'No such invoice.')

export const invoiceNotDraft = () =>
  new Refusal('invoice_not_draft', 'This invoice is no longer a draft: it keeps its lines and terms.')

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

export const alreadyUncollectible = () =>
  new Refusal('invoice_uncollectible', 'This invoice is marked uncollectible already.')

export const invoiceCharging = () =>
  new Refusal(
    'charge_in_progress',
    'A charge of this invoice is being resolved with the rail. Poll its payment intent with GET.',
  )

export const notBillable = (message: string) => new Refusal('invalid_request', message, { param: 'lines' })
