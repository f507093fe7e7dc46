import type { Clock, FinishedDelivery } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'

export interface PassMeters {
  measure<T>(pass: string, run: () => Promise<T>): Promise<T>
  countCharges(moved: number): void
  countEvents(done: number): void
  countDeliveries(finished: readonly FinishedDelivery[]): void
}

export function createPassMeters(metrics: Metrics, clock: Clock): PassMeters {
  const observe = metrics.durations('worker_pass_duration_seconds', 'Passes of the worker, by name.', [
    'pass',
  ])
  const countFailure = metrics.counter('worker_pass_failures_total', 'Passes that threw.', ['pass'])
  const charges = metrics.counter('charges_settled_total', 'Charges that a status query moved.')
  const events = metrics.counter('events_fanned_out_total', 'Events that became deliveries.')
  const deliveries = metrics.counter(
    'webhook_deliveries_total',
    'Attempts, by what they left a delivery as.',
    ['status'],
  )
  return {
    measure: async (pass, run) => {
      const startedAtMs = clock()
      try {
        return await run()
      } catch (error) {
        countFailure({ pass })
        throw error
      } finally {
        observe((clock() - startedAtMs) / 1_000, { pass })
      }
    },
    countCharges: (moved) => charges({}, moved),
    countEvents: (done) => events({}, done),
    countDeliveries: (finished) => {
      for (const { status } of finished) deliveries({ status })
    },
  }
}
