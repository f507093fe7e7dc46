import type { Locale, RailCode } from '@merchant-payments/core'

/** A deployment's account at Orange Money Web Payment, already validated. */
export interface OrangeMoneyConfig {
  readonly code: RailCode
  readonly displayName: string
  readonly adapter: 'orange_money'
  /** Francs have no minor unit: an amount goes over the wire as the integer that it is. */
  readonly settlementCurrency: 'XAF'
  readonly baseUrl: string
  /** Where tokens are granted; `/oauth/v3/token` below baseUrl unless said otherwise. */
  readonly tokenUrl?: string | undefined
  /** The path segment of the subscription: `cm` and so on, or `dev` for the sandbox. */
  readonly country: string
  readonly merchantKey: string
  readonly clientId: string
  readonly clientSecret: string
  /** What the rail's page speaks where a confirm names no language. */
  readonly lang: Locale
  readonly connectTimeoutMs?: number
  /** From the call of an operation to its answer, tokens and the retry after a 401 included. */
  readonly totalTimeoutMs?: number
  readonly maxConnections?: number
  readonly firstQueryAfterMs?: number
  readonly approvalWindowSec?: number
  readonly clock: () => number
}
