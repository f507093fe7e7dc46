import { Refusal } from '@merchant-payments/contract'
import { chargeInProgress, intentCanceled, intentPaid } from '../payment-intents/refusals.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { judgeConfirmable } from '../payment-intents/judge-confirmable.ts'
import type { Rails } from '../rails/port.ts'
import type { CreateSession } from './create.ts'
import type { Adoptable } from './store.ts'

export function judgeAdoption(rails: Rails, found: Adoptable, wanted: CreateSession): Refusal | null {
  const { intent, hasSession } = found
  const param = differing(intent, wanted)
  if (param !== null) return new Refusal('invalid_request', 'must be that of the payment intent', { param })
  if (intent.invoiceId !== null) {
    return new Refusal('intent_has_invoice', 'This payment intent belongs to an invoice.')
  }
  if (hasSession) {
    return new Refusal('intent_has_session', 'This payment intent already has a checkout session.')
  }
  switch (intent.status) {
    case 'requires_payment_method':
      return judgeConfirmable(rails, intent, found)
    case 'processing':
      return chargeInProgress()
    case 'succeeded':
      return intentPaid()
    case 'canceled':
      return intentCanceled(intent)
  }
}

/** A field that repeats one of the intent's must agree with it, so that no value is silently dropped. */
function differing(intent: Intent, wanted: CreateSession): string | null {
  const { amountMinor, currency, customer, description, paymentMethodTypes: types } = wanted
  if (amountMinor !== null && amountMinor !== intent.amountMinor) return 'amount'
  if (currency !== null && currency !== intent.currency) return 'currency'
  if (customer !== null && customer !== intent.customerId) return 'customer'
  if (description !== null && description !== intent.description) return 'description'
  if (types !== null && !areSame(types, intent.paymentMethodTypes)) return 'payment_method_types'
  return null
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.every((one) => others.includes(one)) && others.every((one) => some.includes(one))
