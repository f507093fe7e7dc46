import type { Deps } from '@merchant-payments/core'
import { collectProcess, type Metrics } from '@merchant-payments/telemetry'
import { collectAttention } from './attention-metrics.ts'
import { collectCommits } from './commit-metrics.ts'
import { collectFindings } from './finding-metrics.ts'
import { collectQueues } from './queue-metrics.ts'
import { collectSnapshots } from './snapshot-metrics.ts'
import { collectUndecided } from './undecided-metrics.ts'

export function collectGauges(
  metrics: Metrics,
  deps: Pick<Deps, 'db' | 'clock' | 'rails'>,
  ready: () => Promise<boolean>,
): void {
  collectProcess(metrics, ready)
  collectQueues(metrics, deps)
  collectFindings(metrics, deps)
  collectUndecided(metrics, deps)
  collectAttention(metrics, deps)
  collectCommits(metrics, deps)
  collectSnapshots(metrics, deps)
}
