import type { Clock } from '@merchant-payments/core'
import type { Metrics, Tracer } from '@merchant-payments/telemetry'
import type { Egress } from './egress.ts'

interface Watch {
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly clock: Clock
}

export function watchEgress(egress: Egress, { metrics, tracer, clock }: Watch): Egress {
  const count = metrics.counter('webhook_attempts_total', 'POSTs to endpoints, by result.', [
    'result',
    'error',
  ])
  const observe = metrics.durations('webhook_attempt_duration_seconds', 'Duration of POSTs to endpoints.', [
    'result',
  ])
  return {
    ...egress,
    post: async (message) => {
      const span = tracer.start('webhook attempt', 'client')
      const startedAtMs = clock()
      const outcome = await egress.post(message)
      count({ result: outcome.result, error: outcome.error ?? '' })
      span.end({ result: outcome.result, status: outcome.statusCode ?? 0 }, outcome.result !== 'succeeded')
      observe((clock() - startedAtMs) / 1_000, { result: outcome.result })
      return outcome
    },
  }
}
