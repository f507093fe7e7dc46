import type { PaymentIntent } from '@merchant-payments/contract'
import { secondsOrNull } from '../base/clock.ts'
import { createdOf } from '../base/ids.ts'
import type { Intent } from './intent.ts'

/** Spec 2.4. Only create and retrieve add the client secret. */
export function renderPaymentIntent(intent: Intent): PaymentIntent {
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amountMinor,
    currency: intent.currency,
    status: intent.status,
    payment_method_types: [...intent.paymentMethodTypes],
    customer: intent.customerId,
    description: intent.description,
    metadata: intent.metadata,
    next_action: nextAction(intent),
    last_payment_error: lastPaymentError(intent),
    invoice: intent.invoiceId,
    canceled_at: secondsOrNull(intent.canceledAtMs),
    cancellation_reason: intent.cancellationReason,
    created: createdOf(intent.id),
    livemode: intent.livemode,
  }
}

/** Spec 2.4: for create and retrieve only. */
export const withClientSecret = (wire: PaymentIntent, secret: string): PaymentIntent => ({
  ...wire,
  client_secret: secret,
})

/** Spec 1.4: null on a push rail. On a redirect rail, set while the payer is awaited there. */
function nextAction(intent: Intent): PaymentIntent['next_action'] {
  if (intent.status !== 'processing' || intent.redirectUrl === null) return null
  return {
    type: 'redirect_to_url',
    redirect_to_url: { url: intent.redirectUrl, return_url: intent.returnUrl },
  }
}

function lastPaymentError({ lastPaymentError: error }: Intent): PaymentIntent['last_payment_error'] {
  if (error === null) return null
  return {
    type: 'rail_error',
    code: error.code,
    decline_code: error.declineCode,
    message: error.message,
    payment_method_type: error.rail,
  }
}
