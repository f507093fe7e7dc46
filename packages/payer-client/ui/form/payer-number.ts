import type { Facts } from './facts.ts'
import type { BrowserSession } from './types.ts'
import { maskedNumber } from './words/masked-number.ts'
import { unbroken } from './words/unbroken.ts'

/**
 * The number of the charge under way, masked. The API masks it, so that it is there after a reload and on another
 * device. Until its first answer, the number that this tab has just sent.
 */
export function payerNumber({ session, attempt }: Facts): string | null {
  const charge = session?.payment_intent.live_charge
  if (charge?.payer_number != null) return unbroken(charge.payer_number)
  return attempt?.msisdn == null ? null : maskedNumber(attempt.msisdn)
}

/** After a refusal, the refused number is at hand. A reload has forgotten it, because the tab keeps no number that was sent. */
export function hasEarlierNumber(
  { attempt, number }: Facts,
  { rails, payment_intent: intent }: BrowserSession,
): boolean {
  const code = intent.last_payment_error?.payment_method_type
  const rail = rails.find((offer) => offer.code === code)
  return rail?.instrument === 'msisdn' && (number || (attempt?.msisdn ?? '')) !== ''
}
