import { type AccountHolder, Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import type { MerchantId } from '../base/ids.ts'
import { isClientDisabled } from '../oauth/clients.ts'
import { parseMsisdn } from '../base/phone.ts'
import type { AccountHolderOutcome, RailCode } from '../rails/port.ts'

export interface AccountHolderQuery {
  readonly paymentMethodType: string
  readonly msisdn: string
}

/**
 * Spec 2.8: asks a rail whose account a number is. Nothing is stored.
 *
 * @param take takes one of the look-ups that whoever asks has left, or throws
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
    throw new Refusal('not_supported', 'This rail does not tell whose account a number is.')
  }
  // No statement of this request could ask by the way, and a disabled client must learn nobody's name.
  if (await isClientDisabled(db.reader, merchantId)) throw clientDisabled()
  // Nothing that asks no rail takes one.
  take()
  const outcome = await rail.accountHolders.findAccountHolder(number)
  return {
    object: 'account_holder',
    payment_method_type: rail.code,
    msisdn: number,
    ...holderOf(outcome),
    livemode: deployment.livemode,
  }
}

/** An account that is not active can be paid no more than one that does not exist. */
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
