import type { ReadOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * Whose account a number is, as its operator says it. Nothing of it is stored.
 *
 * @example
 * ```ts
 * const greet = (holder: AccountHolder) => (holder.registered ? `Pay ${holder.name ?? holder.msisdn}?` : 'No such account.')
 * ```
 */
export interface AccountHolder {
  object: 'account_holder'
  payment_method_type: string
  /** Twelve digits with the country code, whatever spelling was sent. */
  msisdn: string
  /** False where the operator has no active account with this number. */
  registered: boolean
  /** Null where the operator does not tell. */
  name: string | null
  livemode: boolean
}

/**
 * The account to be looked up.
 *
 * @example
 * ```ts
 * const params: AccountHolderRetrieveParams = { payment_method_type: 'mtn_momo_cm', msisdn: '+237 6 70 00 00 01' }
 * ```
 */
export interface AccountHolderRetrieveParams {
  /** The code of a rail that the deployment enabled. */
  payment_method_type: string
  /** In any spelling. */
  msisdn: string
}

/**
 * Name checks of mobile-money accounts.
 *
 * @example
 * ```ts
 * const lookUp: AccountHolders['retrieve'] = payments.accountHolders.retrieve
 * ```
 */
export interface AccountHolders {
  /**
   * Asks the operator whose account a number is, before money is sent to it or asked from it (spec 2.8). Rejects with a
   * {@link NotSupportedError} on a rail that does not tell, and with a {@link ProviderUnavailableError} while the operator
   * is out of reach.
   *
   * @example
   * ```ts
   * const { registered, name } = await payments.accountHolders.retrieve({
   *   payment_method_type: 'mtn_momo_cm',
   *   msisdn: '237670000001',
   * })
   * ```
   */
  retrieve(params: AccountHolderRetrieveParams, options?: ReadOptions): Promise<Result<AccountHolder>>
}

export const createAccountHolders = (send: Send): AccountHolders => ({
  retrieve: (params, options) => send({ method: 'GET', path: '/v1/account_holders', params }, options),
})
