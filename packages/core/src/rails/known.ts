import type { Currency } from '@merchant-payments/contract'
import type { RailAdapter, RailRefunds, Rails } from './port.ts'

/** The rails whose charges this process can query. */
export const knownRails = (rails: Rails): string[] => [...rails.keys()]

/** The rails that this process can instruct to pay out. */
export const payoutRails = (rails: Rails): string[] =>
  [...rails].flatMap(([code, { refunds }]) => (refunds === null ? [] : [code]))

/**
 * Null if the rail cannot pay out this currency. Its configuration may name another currency than at the payment, and the
 * same amount of that would be other money.
 */
export const refundsIn = ({ refunds, capabilities }: RailAdapter, currency: Currency): RailRefunds | null =>
  capabilities.settlementCurrency === currency ? refunds : null
