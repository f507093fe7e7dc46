import {
  type Clock,
  ENDPOINT_GONE,
  type FinishedDelivery,
  mintedAtMs,
  type SettledCharge,
} from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'
import type { OnAttempt } from './deliver-webhooks.ts'

export interface PassMeters {
  measure<T>(pass: string, run: () => Promise<T>): Promise<T>
  countFailure(pass: string): void
  countCharges(moved: number): void
  readonly observeSettled: (charge: SettledCharge) => void
  countEvents(done: number): void
  countDeliveries(finished: readonly FinishedDelivery[]): void
  readonly observeAttempt: OnAttempt
}

/** From a rail's quickest answer to the last rung of the ladder. Payers take minutes to approve. */
const SETTLEMENT_BUCKETS_SEC = [1, 5, 10, 30, 60, 120, 300, 600, 1_200, 3_600, 21_600, 86_400]
/** From a quick pass to a worker that was down for hours. */
const FIRST_ATTEMPT_BUCKETS_SEC = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200]

export function createPassMeters(metrics: Metrics, clock: Clock): PassMeters {
  const observe = metrics.durations('worker_pass_duration_seconds', 'Passes of the worker, by name.', [
    'pass',
  ])
  const countFailure = metrics.counter(
    'worker_pass_failures_total',
    'Failed passes, including work that a pass left running.',
    ['pass'],
  )
  const charges = metrics.counter('charges_settled_total', 'Charges that a status query moved.')
  const events = metrics.counter('events_fanned_out_total', 'Events that became deliveries.')
  const deliveries = metrics.counter(
    'webhook_deliveries_total',
    'Attempts, by the resulting state of the delivery.',
    ['status'],
  )
  const observeSettlement = metrics.durations(
    'charge_settlement_duration_seconds',
    'Time from the opening of a charge to the answer of its rail that settled it.',
    ['rail', 'status'],
    SETTLEMENT_BUCKETS_SEC,
  )
  const observeFirstAttempt = metrics.durations(
    'webhook_first_attempt_delay_seconds',
    'Time from an event to the first POST of each of its deliveries, less the time for which its endpoint had all of its places taken.',
    [],
    FIRST_ATTEMPT_BUCKETS_SEC,
  )
  return {
    measure: async (pass, run) => {
      const startedAtMs = clock()
      countFailure({ pass }, 0)
      try {
        return await run()
      } catch (error) {
        countFailure({ pass })
        throw error
      } finally {
        observe((clock() - startedAtMs) / 1_000, { pass })
      }
    },
    countFailure: (pass) => countFailure({ pass }),
    countCharges: (moved) => charges({}, moved),
    observeSettled: ({ rail, status, openedAtMs, settledAtMs }) =>
      observeSettlement((settledAtMs - openedAtMs) / 1_000, { rail, status }),
    countEvents: (done) => events({}, done),
    countDeliveries: (finished) => {
      for (const { status } of finished) deliveries({ status })
    },
    observeAttempt: ({ job, startedAtMs, error }, fullMs) => {
      // A later attempt waits for its rung, and a replayed delivery for its operator. One whose endpoint is gone has no POST.
      if (job.attempts + job.attemptsBefore > 0 || error === ENDPOINT_GONE) return
      observeFirstAttempt((startedAtMs - mintedAtMs(job.eventId) - fullMs) / 1_000, {})
    },
  }
}
