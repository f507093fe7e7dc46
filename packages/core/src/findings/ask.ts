import type { QueryAnswer, QueryOutcome, RailAdapter } from '../rails/port.ts'
import { reportedOf } from '../rails/reported.ts'
import { type AskResult, currencyOr, type Sighting, type FoundAtRail } from './finding.ts'

/**
 * Asks the rail about a reference by a status query, and instructs nothing. Never rejects for what a rail does: an
 * adapter that throws counts as unavailable.
 */
export async function askRailAbout(rail: RailAdapter, sighting: Sighting): Promise<AskResult> {
  const query = queryOf(rail, sighting)
  if (query === null) return { ...sighting, answer: 'unasked', transactionId: null }
  const outcome = await query().catch(() => null)
  if (outcome === null || outcome.kind === 'unavailable' || outcome.kind === 'held_back') return 'unavailable'
  return { ...sighting, ...reportedBy(outcome) }
}

/** Null if the rail cannot answer for a reference alone. */
function queryOf(rail: RailAdapter, sighting: Sighting): (() => Promise<QueryOutcome>) | null {
  const { refunds, capabilities } = rail
  const { reference } = sighting
  if (sighting.kind === 'payout') {
    return refunds === null ? null : async () => refunds.queryRefund(reference)
  }
  if (capabilities.queriedBy === 'token') return null
  const currency = currencyOr(sighting, capabilities.settlementCurrency)
  const charge = { reference, railToken: null, amountMinor: sighting.amountMinor ?? 0, currency }
  return async () => rail.queryCharge(charge)
}

/** The rail's own money replaces that of a statement. */
function reportedBy(
  outcome: Exclude<QueryAnswer, { kind: 'unavailable' }>,
): Partial<FoundAtRail> & Pick<FoundAtRail, 'answer' | 'transactionId'> {
  if (outcome.kind !== 'succeeded') return { answer: outcome.kind, transactionId: null }
  const { railTxnId, amountMinor, currency } = outcome
  const reported = reportedOf(outcome)
  return {
    answer: 'succeeded',
    transactionId: railTxnId,
    ...(amountMinor !== null && { amountMinor: reported.amountMinor }),
    ...(currency !== null && { currency: reported.currency }),
  }
}
