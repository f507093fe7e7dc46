import { setTimeout as delay } from 'node:timers/promises'
import type { MerchantPayments, PaymentIntent } from '@merchant-payments/node-sdk'

const POLL_MS = 1_000

/** A refused charge returns the intent to requires_payment_method, with an error. */
export const isDecided = ({ status, last_payment_error: error }: PaymentIntent): boolean =>
  status === 'succeeded' || status === 'canceled' || (status === 'requires_payment_method' && error !== null)

/** The intent once it is decided, or as it is when the wait is over. */
export async function outcomeOf(
  payments: MerchantPayments,
  first: PaymentIntent,
  waitSec: number,
): Promise<PaymentIntent> {
  let intent = first
  for (let polls = 0; !isDecided(intent) && polls * POLL_MS < waitSec * 1_000; polls += 1) {
    await delay(POLL_MS)
    intent = await payments.paymentIntents.retrieve(intent.id)
  }
  return intent
}
