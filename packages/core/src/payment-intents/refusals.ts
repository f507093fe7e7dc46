import { type InvoiceStatus, Refusal } from '@merchant-payments/contract'
import type { RailCode, Rails } from '../rails/port.ts'
import type { Intent } from './intent.ts'

export const noSuchIntent = () => new Refusal('resource_missing', 'No such payment intent.')

/** Spec 4.3.5, which asks this for a customer: a foreign, an unknown and an ill-formed id get the same 400. */
export const noIntentOfBody = () =>
  new Refusal('invalid_request', 'No such payment intent.', { param: 'payment_intent' })

/** Spec 2.4. */
export function unknownRail(rails: Rails, codes: readonly string[]): Refusal | null {
  const unknown = codes.findIndex((code) => !rails.has(code as RailCode))
  if (unknown < 0) return null
  const param = `payment_method_types[${unknown}]`
  return new Refusal('invalid_request', 'must be a rail that this deployment enables', { param })
}

export const intentCanceled = ({ invoiceId }: Pick<Intent, 'invoiceId'>) =>
  new Refusal(
    'intent_canceled',
    invoiceId === null
      ? 'This payment intent is canceled. If it was confirmed, it can still be paid: wait 40 minutes after the last confirm, then create a new payment intent only if it is still canceled.'
      : 'This payment intent is canceled. Pay its invoice again.',
  )

// Spec 3.1.1, for a merchant's confirm. Elsewhere its advice would pay the order twice.
export const chargeTerminal = () =>
  new Refusal(
    'charge_terminal',
    'The charge of this payment intent is terminal. Create a new payment intent.',
  )

export const intentPaid = () => new Refusal('charge_terminal', 'This payment intent is paid.')

export const chargeInProgress = () =>
  new Refusal(
    'charge_in_progress',
    'A charge of this payment intent is being resolved with the rail. Poll the payment intent with GET.',
  )

/** A loose intent would leave the invoice of this one open. */
export const tooManyAttempts = ({ invoiceId }: Pick<Intent, 'invoiceId'>) =>
  new Refusal(
    'too_many_attempts',
    invoiceId === null
      ? 'This payment intent has no attempts left. A refused charge can still succeed: wait half an hour after the last refusal, then create a new payment intent only if this one is not paid.'
      : 'This payment intent has no attempts left. Cancel it, then pay its invoice again.',
  )

export const sessionNotOpen = (isPaid: boolean) =>
  new Refusal(
    'session_not_open',
    isPaid
      ? 'This checkout session is paid.'
      : 'This checkout session has ended. Create a new checkout session.',
  )

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
