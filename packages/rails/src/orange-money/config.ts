import type { Locale, RailCode } from '@merchant-payments/core'

export interface OrangeMoneyConfig {
  readonly code: RailCode
  readonly displayName: string
  readonly adapter: 'orange_money'
  /** Francs have no minor unit, so amounts go over the wire unchanged. */
  readonly settlementCurrency: 'XAF'
  readonly baseUrl: string
  /** The token endpoint. Default: `/oauth/v3/token` below baseUrl. */
  readonly tokenUrl?: string | undefined
  /** The path segment of the subscription: `cm` and so on, or `dev` for the sandbox. */
  readonly country: string
  readonly merchantKey: string
  readonly clientId: string
  readonly clientSecret: string
  readonly lang: Locale
  readonly connectTimeoutMs?: number
  /** Time in ms from the call of an operation to its answer, including tokens and the retry after a 401. */
  readonly totalTimeoutMs?: number
  readonly maxConnections?: number
  readonly firstQueryAfterMs?: number
  readonly approvalWindowSec?: number
  readonly clock: () => number
}
