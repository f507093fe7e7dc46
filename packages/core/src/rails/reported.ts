import { plainCode } from '../base/plain-code.ts'
import type { QueryOutcome } from './port.ts'

/** Money as a rail reports it. Null for a part that it does not name, or that cannot be read. */
export interface Reported {
  readonly amountMinor: number | null
  readonly currency: string | null
}

type Answered = Pick<QueryOutcome & { kind: 'succeeded' }, 'amountMinor' | 'currency'>

/** Whether the rail names an amount or a currency that differs from ours, or that cannot be read. */
export const isOtherMoney = (
  ours: { readonly amountMinor: number; readonly currency: string },
  { amountMinor, currency }: Answered,
): boolean =>
  (amountMinor !== null && amountMinor !== ours.amountMinor) ||
  (currency !== null && currency !== ours.currency)

export const reportedOf = ({ amountMinor, currency }: Answered): Reported => ({
  amountMinor: amountMinor !== null && amountMinor < 0 ? null : amountMinor,
  currency: currency === '' ? null : currency,
})

export const reportedFacts = ({ amountMinor, currency }: Reported) => ({
  reported_amount: amountMinor,
  reported_currency: plainCode(currency),
})
