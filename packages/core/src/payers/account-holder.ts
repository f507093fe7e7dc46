import { type AccountHolder, Refusal } from '@merchant-payments/contract'
import { type AccountHolderQuery, findAccountHolder } from '../account-holders/find.ts'
import { hasEnded } from '../checkout-sessions/lifecycle.ts'
import type { Deps } from '../deps.ts'
import type { MerchantId, PaymentIntentId } from '../base/ids.ts'
import { chargeInProgress, intentCanceled, intentPaid, sessionNotOpen } from '../payment-intents/refusals.ts'
import type { RailCode } from '../rails/port.ts'
import type { Access } from './access.ts'

/**
 * Shows the owner's initials: enough to notice a mistyped number, too little to make a payment link a directory of
 * names.
 * @param take takes one look-up from the quotas of the merchant's payers and of this payment; throws if none is left
 * @throws Refusal invalid_request, not_supported, provider_unavailable, or what a confirm is refused with
 */
export async function findPayersAccountHolder(
  deps: Pick<Deps, 'db' | 'rails' | 'deployment' | 'clock'>,
  access: Access,
  query: AccountHolderQuery,
  take: (merchantId: MerchantId, intentId: PaymentIntentId) => void,
): Promise<AccountHolder> {
  const { intent, merchant } = access
  const refusal = judgePayable(access, deps.clock())
  if (refusal !== null) throw refusal
  if (!intent.paymentMethodTypes.includes(query.paymentMethodType as RailCode)) {
    throw new Refusal('invalid_request', 'is not among the payment_method_types of this payment intent', {
      param: 'payment_method_type',
    })
  }
  const holder = await findAccountHolder(deps, merchant.id, query, () => take(merchant.id, intent.id))
  return { ...holder, name: holder.name === null ? null : initialsOf(holder.name) }
}

function judgePayable({ intent, bySession, charges }: Access, nowMs: number): Refusal | null {
  if (bySession !== null && hasEnded(bySession, nowMs)) return sessionNotOpen(intent.status === 'succeeded')
  if (intent.status === 'canceled') return intentCanceled(intent)
  if (intent.status === 'succeeded') return intentPaid()
  return intent.status === 'processing' || charges.live !== null ? chargeInProgress() : null
}

/** `Sand Box` becomes `S••• B•••`, which hides the lengths of the words. */
const initialsOf = (name: string): string =>
  name
    .trim()
    .split(/\s+/)
    .map((word) => `${Array.from(word)[0] ?? ''}•••`)
    .join(' ')
