import type { Clock } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/metrics'
import type { Egress } from './egress.ts'

/** The same way out, with each attempt counted by what it came to, and timed. */
export function meterEgress(egress: Egress, metrics: Metrics, clock: Clock): Egress {
  const count = metrics.counter('webhook_attempts_total', 'POSTs to endpoints, by what they came to.')
  const observe = metrics.durations('webhook_attempt_duration_seconds', 'Time that POSTs to endpoints took.')
  return {
    ...egress,
    post: async (message) => {
      const startedAtMs = clock()
      const outcome = await egress.post(message)
      count({ result: outcome.result, error: outcome.error ?? '' })
      observe((clock() - startedAtMs) / 1_000, { result: outcome.result })
      return outcome
    },
  }
}
