import { PaymentFormElement } from './element.ts'

export { allowInsecureBaseUrl } from './allow-insecure-base-url.ts'
export type { PaymentForm, PaymentFormEvent, PaymentFormOutcome } from './element.ts'

/** The name of the element. */
const NAME = 'merchant-payment-form'

/**
 * Defines the element `merchant-payment-form`: the form of the hosted page, in the merchant's own. A second call has no
 * effect.
 *
 * @example
 * ```ts
 * import { definePaymentForm } from '@merchant-payments/payer-client/ui'
 *
 * definePaymentForm()
 * ```
 */
export function definePaymentForm(): void {
  if (customElements.get(NAME) === undefined) customElements.define(NAME, PaymentFormElement)
}
