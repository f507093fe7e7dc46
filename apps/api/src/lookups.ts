import { Refusal } from '@merchant-payments/contract'
import type { Clock, MerchantId, PaymentIntentId } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'
import { LRUCache } from 'lru-cache'
import { type Pace, paceOf } from './rail-callback/pace.ts'

/**
 * Limit of one merchant per process, and again of its payers. It suffices to check the numbers of a day's payouts,
 * but not to read out a directory of names. docs/spec-gaps.md, account holders.
 */
export const LOOKUPS_PER_MERCHANT: Pace = { perSecond: 1, burst: 50, waitMaxMs: 0 }
/** Allows a few typing errors. */
const LOOKUPS_PER_INTENT_MAX = 5
const INTENTS_MAX = 20_000

/** Budgets of account holder look-ups. */
export interface Lookups {
  /** @throws Refusal service_unavailable */
  readonly takeForMerchant: (merchantId: MerchantId) => void
  /** @throws Refusal service_unavailable, lookups_spent */
  readonly takeForPayment: (merchantId: MerchantId, intentId: PaymentIntentId) => void
}

type Surface = 'v1' | 'browser'

/** Counts the look-ups in this process. Remembers a bounded number of payments and drops the least recently used. */
export function openLookups(deps: {
  clock: Clock
  metrics: Pick<Metrics, 'counter'>
  pace?: Pace | undefined
}): Lookups {
  const { clock, pace = LOOKUPS_PER_MERCHANT } = deps
  const count = deps.metrics.counter('account_holder_lookups_total', 'Account holder look-ups, by result.', [
    'surface',
    'result',
  ])
  const ofIntents = new LRUCache<string, number>({ max: INTENTS_MAX })
  // Bounded: only merchants that the deployment registers get here.
  const ofMerchants = { v1: new Map<MerchantId, Take>(), browser: new Map<MerchantId, Take>() }

  function takeFor(merchantId: MerchantId, surface: Surface): void {
    const take = ofMerchants[surface].get(merchantId) ?? paceOf(pace, clock)
    ofMerchants[surface].set(merchantId, take)
    if (take() !== null) return count({ surface, result: 'asked' })
    count({ surface, result: 'refused' })
    throw new Refusal('service_unavailable', 'Too many account holder look-ups. Retry after a moment.')
  }

  return {
    takeForMerchant: (merchantId) => takeFor(merchantId, 'v1'),
    takeForPayment: (merchantId, intentId) => {
      const taken = ofIntents.get(intentId) ?? 0
      if (taken >= LOOKUPS_PER_INTENT_MAX) {
        count({ surface: 'browser', result: 'spent' })
        throw new Refusal('lookups_spent', 'This payment has used all its account holder look-ups.')
      }
      takeFor(merchantId, 'browser')
      ofIntents.set(intentId, taken + 1)
    },
  }
}

type Take = ReturnType<typeof paceOf>
