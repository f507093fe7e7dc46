import { type Deps, readDepths } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'

export function collectQueues(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  let reading: ReturnType<typeof readDepths> | null = null
  // A scrape reads all gauges at once, so they share one statement.
  const depths = () => {
    reading ??= readDepths(db.writer, clock()).finally(() => {
      reading = null
    })
    return reading
  }
  metrics.gauge('queue_waiting', 'Waiting rows, up to ten thousand per queue.', ['queue'], async () =>
    (await depths()).map(({ queue, waiting }) => ({ labels: { queue }, value: waiting })),
  )
  metrics.gauge(
    'queue_oldest_overdue_seconds',
    'Seconds since the oldest row of a queue became due.',
    ['queue'],
    async () =>
      (await depths()).map(({ queue, overdueMs }) => ({ labels: { queue }, value: overdueMs / 1_000 })),
  )
  metrics.gauge(
    'queue_oldest_lease_seconds',
    'Age in seconds of the oldest lease of a queue.',
    ['queue'],
    async () =>
      (await depths()).map(({ queue, oldestLeaseMs }) => ({
        labels: { queue },
        value: oldestLeaseMs / 1_000,
      })),
  )
}
