import type { QueryOutcome } from './port.ts'

/** Money as a rail reports it. Null for a part that it does not name, or that cannot be read. */
export interface Reported {
  readonly amountMinor: number | null
  readonly currency: string | null
}

export const reportedOf = ({
  amountMinor,
  currency,
}: Pick<QueryOutcome & { kind: 'succeeded' }, 'amountMinor' | 'currency'>): Reported => ({
  amountMinor: amountMinor !== null && amountMinor < 0 ? null : amountMinor,
  currency: currency === '' ? null : currency,
})
