import type { Currency } from '@merchant-payments/contract'
import type { RailCode } from '@merchant-payments/core'

/** One product of the operator's portal. It has two subscription keys, either of which may be rotated out. */
export interface ProductCredentials {
  readonly subscriptionKeys: readonly [primary: string, secondary?: string | undefined]
  readonly apiUser: string
  readonly apiKey: string
}

export interface MtnMomoConfig {
  readonly code: RailCode
  readonly displayName: string
  readonly adapter: 'mtn_momo'
  readonly settlementCurrency: Currency
  /**
   * The currency on the wire. The operator's sandbox accepts only EUR, also if the deployment settles in
   * another currency.
   */
  readonly wireCurrency: string
  readonly baseUrl: string
  readonly targetEnvironment: string
  readonly collection: ProductCredentials
  /** Null if the deployment cannot pay out; the rail then has no refunds. */
  readonly disbursement: ProductCredentials | null
  readonly callbacks?: boolean
  readonly connectTimeoutMs?: number
  /** Time in ms from the call of an operation to its answer, including tokens and the retry after a 401. */
  readonly totalTimeoutMs?: number
  readonly maxConnections?: number
  readonly firstQueryAfterMs?: number
  readonly approvalWindowSec?: number
  readonly clock: () => number
}
