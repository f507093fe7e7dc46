import type { TakeLookup } from '@merchant-payments/core'
import { LRUCache } from 'lru-cache'

/** A number, and a few slips in it. */
const LOOKUPS_PER_INTENT_MAX = 5
const INTENTS_MAX = 20_000

/** Counts the look-ups of each payment in this process; of so many payments, the one that looked up last is remembered longest. */
export function countLookups(): TakeLookup {
  const counts = new LRUCache<string, number>({ max: INTENTS_MAX })
  return (intentId) => {
    const count = counts.get(intentId) ?? 0
    if (count >= LOOKUPS_PER_INTENT_MAX) return false
    counts.set(intentId, count + 1)
    return true
  }
}
