import { Refusal } from '@merchant-payments/contract'
import type { Clock, MerchantId, PaymentIntentId } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'
import { LRUCache } from 'lru-cache'
import { type Pace, paceOf } from './rail-callback/pace.ts'

/**
 * Of one merchant in this process, and as many again of its payers: enough to check the numbers of a day's payouts, too few
 * to read a directory of names. docs/spec-gaps.md, account holders.
 */
export const LOOKUPS_PER_MERCHANT: Pace = { perSecond: 1, burst: 50, waitMsMax: 0 }
/** A number, and a few slips in it. */
const LOOKUPS_PER_INTENT_MAX = 5
const INTENTS_MAX = 20_000

/** Budgets of look-ups: each takes one, or throws the refusal of whoever has none left. */
export interface Lookups {
  /** @throws Refusal service_unavailable */
  readonly takeForMerchant: (merchantId: MerchantId) => void
  /** @throws Refusal service_unavailable, lookups_spent */
  readonly takeForPayment: (merchantId: MerchantId, intentId: PaymentIntentId) => void
}

type Surface = 'v1' | 'browser'

/** Counts the look-ups in this process; of so many payments, the one that looked up last is remembered longest. */
export function openLookups(deps: {
  clock: Clock
  metrics: Pick<Metrics, 'counter'>
  pace?: Pace | undefined
}): Lookups {
  const { clock, pace = LOOKUPS_PER_MERCHANT } = deps
  const count = deps.metrics.counter(
    'account_holder_lookups_total',
    'Look-ups of account holders, by result.',
    ['surface', 'result'],
  )
  const ofIntents = new LRUCache<string, number>({ max: INTENTS_MAX })
  // Only merchants that the deployment registers come so far.
  const ofMerchants = { v1: new Map<MerchantId, Take>(), browser: new Map<MerchantId, Take>() }

  function takeFor(merchantId: MerchantId, surface: Surface): void {
    const take = ofMerchants[surface].get(merchantId) ?? paceOf(pace, clock)
    ofMerchants[surface].set(merchantId, take)
    if (take() !== null) return count({ surface, result: 'asked' })
    count({ surface, result: 'refused' })
    throw new Refusal('service_unavailable', 'Too many account holders were looked up. Retry after a moment.')
  }

  return {
    takeForMerchant: (merchantId) => takeFor(merchantId, 'v1'),
    takeForPayment: (merchantId, intentId) => {
      const taken = ofIntents.get(intentId) ?? 0
      if (taken >= LOOKUPS_PER_INTENT_MAX) {
        count({ surface: 'browser', result: 'spent' })
        throw new Refusal('lookups_spent', 'This payment has had all its look-ups of account holders.')
      }
      takeFor(merchantId, 'browser')
      ofIntents.set(intentId, taken + 1)
    },
  }
}

type Take = ReturnType<typeof paceOf>
