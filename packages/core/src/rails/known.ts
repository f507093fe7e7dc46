import type { Currency } from '@merchant-payments/contract'
import type { RailAdapter, RailRefunds, Rails } from './port.ts'

export const knownRails = (rails: Rails): string[] => [...rails.keys()]

export const payoutRails = (rails: Rails): string[] =>
  [...rails].flatMap(([code, { refunds }]) => (refunds === null ? [] : [code]))

/**
 * Null if the rail is unknown here, or cannot pay out this currency. Its currency may have been changed since the
 * payment, and the same number in another currency is another amount.
 */
export const refundsIn = (rail: RailAdapter | undefined, currency: Currency): RailRefunds | null =>
  rail?.capabilities.settlementCurrency === currency ? rail.refunds : null
