import { setTimeout as delay } from 'node:timers/promises'
import { isPaymentsError, type MerchantPayments, type PaymentIntent } from '@merchant-payments/node-sdk'
import { exitCodes, Failure } from './failure.ts'

const POLL_MS = 1_000
/** A read that hangs costs one poll, and not the whole wait. */
const READ = { timeoutMs: 10_000, maxRetries: 0 } as const

/** A refused charge returns the intent to requires_payment_method, with an error. */
export const isDecided = ({ status, last_payment_error: error }: PaymentIntent): boolean =>
  status === 'succeeded' || status === 'canceled' || (status === 'requires_payment_method' && error !== null)

/** The end of a wait that begins now. */
export const waitEnd = (waitSec: number): number => performance.now() + waitSec * 1_000

/** The intent once it is decided, or as it is when the wait is over. */
export async function outcomeOf(
  payments: MerchantPayments,
  first: PaymentIntent,
  endsAtMs: number,
): Promise<PaymentIntent> {
  let intent = first
  while (!isDecided(intent) && performance.now() < endsAtMs) {
    await delay(POLL_MS)
    intent = await readConfirmed(payments, intent.id, endsAtMs)
  }
  return intent
}

/**
 * Reads an intent whose confirm was sent. A read that fails for now is repeated until the wait is over.
 *
 * @throws {Failure} that says that the outcome is open, because a charge may be live
 */
export async function readConfirmed(
  payments: MerchantPayments,
  id: string,
  endsAtMs: number,
): Promise<PaymentIntent> {
  for (;;) {
    try {
      return await payments.paymentIntents.retrieve(id, READ)
    } catch (error) {
      if (!isPaymentsError(error)) throw error
      if (!error.shouldRetry || performance.now() >= endsAtMs) throw openOutcome(id, error.message)
    }
    await delay(POLL_MS)
  }
}

/** A script that repeated the payment now could charge the payer twice. */
export const openOutcome = (id: string, reason: string): Failure =>
  new Failure(
    `the outcome of ${id} is open: ${reason}`,
    exitCodes.pending,
    ['do not pay again: its webhook, or a read of the intent, will tell the outcome'],
    { payment_intent: id },
  )
