import type { ChargeAtRail, QueryOutcome, RailAdapter, RailCode, RailRefunds } from '@merchant-payments/core'
import { expect } from 'vitest'

/** A push rail that only answers status queries. */
export const testRail = (
  code: RailCode,
  queryCharge: (charge: ChargeAtRail) => Promise<QueryOutcome>,
  refunds: RailRefunds | null = null,
): RailAdapter => ({
  code,
  displayName: 'MTN Mobile Money',
  capabilities: {
    flow: 'push',
    settlementCurrency: 'XAF',
    instrument: 'msisdn',
    lostSubmitIsHarmless: false,
    queriedBy: 'reference',
    approvalWindowMs: 60_000,
    firstQueryAfterMs: 0,
  },
  submitTimeoutMs: 1_000,
  callbacks: false,
  mintReference: () => expect.unreachable('a worker opens no charge'),
  submitCharge: () => expect.unreachable('a worker never submits'),
  queryCharge,
  refunds,
  accountHolders: null,
  parseCallbackQuery: () => null,
  parseCallbackBody: () => null,
  close: async () => undefined,
})
