import { type Currency, Refusal } from '@merchant-payments/contract'
import { areSpent, type Attempts, PAYER_CHARGES_MAX } from '../base/attempts.ts'
import { customerErased } from '../commit/create-once.ts'
import type { RailCode, Rails } from '../rails/port.ts'
import type { Intent } from './intent.ts'
import { chargeInProgress, tooManyAttempts } from './refusals.ts'

interface Prospects {
  readonly attempts: Attempts
  readonly customerErased: boolean
}

/**
 * Whether the payer of a waiting intent can still confirm it. If not, the payer would get a page on which no payment
 * succeeds.
 */
export function judgeConfirmable(
  rails: Rails,
  intent: Pick<Intent, 'currency' | 'paymentMethodTypes' | 'invoiceId'>,
  { attempts, customerErased: isErased }: Prospects,
): Refusal | null {
  if (isErased) return customerErased()
  if (!intent.paymentMethodTypes.some((code) => settlesIn(rails, code, intent.currency))) {
    return noRail(intent)
  }
  if (!areSpent(attempts, PAYER_CHARGES_MAX)) return null
  return attempts.live === 0 ? tooManyAttempts(intent) : chargeInProgress()
}

export const settlesIn = (rails: Rails, code: RailCode, currency: Currency): boolean =>
  rails.get(code)?.capabilities.settlementCurrency === currency

const noRail = ({ invoiceId }: Pick<Intent, 'invoiceId'>) =>
  new Refusal(
    'intent_has_no_rail',
    invoiceId === null
      ? 'This deployment has none of the rails of this payment intent. Create a new payment intent.'
      : 'This deployment has none of the rails of this payment intent. Cancel it, then pay its invoice again.',
  )
