import { type AccountHolder, Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled, merchantMoving } from '../base/client-status.ts'
import type { MerchantId } from '../base/ids.ts'
import { findClientState } from '../oauth/clients.ts'
import { parseMsisdn } from '../base/phone.ts'
import type { AccountHolderOutcome, RailCode } from '../rails/port.ts'

export interface AccountHolderQuery {
  readonly paymentMethodType: string
  readonly msisdn: string
}

/**
 * Spec 2.8. Stores nothing.
 * @param take takes one look-up from the caller's quota; throws if none is left
 * @throws Refusal invalid_request, not_supported, provider_unavailable
 */
export async function findAccountHolder(
  { db, rails, deployment }: Pick<Deps, 'db' | 'rails' | 'deployment'>,
  merchantId: MerchantId,
  { paymentMethodType, msisdn }: AccountHolderQuery,
  take: () => void,
): Promise<AccountHolder> {
  const rail = rails.get(paymentMethodType as RailCode)
  if (rail === undefined) {
    throw new Refusal('invalid_request', 'is not a rail that this deployment enables', {
      param: 'payment_method_type',
    })
  }
  const number = parseMsisdn(msisdn, deployment.defaultCountryCode, 'msisdn')
  if (rail.accountHolders === null) {
    throw new Refusal('not_supported', 'This rail has no look-up of account holders.')
  }
  // No other statement of this request checks the client, and a disabled client must not read names.
  const state = await findClientState(db.reader, merchantId)
  if (state === 'disabled') throw clientDisabled()
  if (state === 'away') throw merchantMoving()
  // A request that reaches no rail uses up no look-up.
  take()
  const outcome = await rail.accountHolders.findAccountHolder({ merchantId, msisdn: number })
  return {
    object: 'account_holder',
    payment_method_type: rail.code,
    msisdn: number,
    ...holderOf(outcome),
    livemode: deployment.livemode,
  }
}

/** A rail cannot pay an inactive account, so it is answered like a missing one. */
function holderOf(outcome: AccountHolderOutcome): Pick<AccountHolder, 'registered' | 'name'> {
  switch (outcome.kind) {
    case 'found':
      return outcome.active === false
        ? { registered: false, name: null }
        : { registered: true, name: outcome.name }
    case 'not_found':
      return { registered: false, name: null }
    case 'unavailable':
      throw new Refusal('provider_unavailable', 'The rail could not be reached or did not answer. Retry.')
  }
}
