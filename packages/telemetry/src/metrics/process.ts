import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

const NANOSECONDS = 1e9
const RESOLUTION_MS = 20

/** Adds whether the process is ready, its start and its memory, and the delay of its event loop. */
export function collectProcess(metrics: Metrics, isReady: () => Promise<boolean>): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const startedAtSec = performance.timeOrigin / 1_000
  metrics.gauge('process_ready', '1 while the process is ready, as /readyz says; else 0.', [], async () => [
    { labels: {}, value: (await isReady()) ? 1 : 0 },
  ])
  metrics.gauge('process_start_time_seconds', 'When the process started, in Unix time.', [], () => [
    { labels: {}, value: startedAtSec },
  ])
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of the process.', [], () => [
    { labels: {}, value: process.memoryUsage.rss() },
  ])
  metrics.gauge(
    'nodejs_eventloop_lag_seconds',
    'Delay of the event loop since the last render; quantile 1 is the worst.',
    ['quantile'],
    () => {
      const series = [50, 99, 100].map((percent) => ({
        labels: { quantile: String(percent / 100) },
        value: Math.max(0, delay.percentile(percent) / NANOSECONDS - RESOLUTION_MS / 1_000),
      }))
      delay.reset()
      return series
    },
  )
}
