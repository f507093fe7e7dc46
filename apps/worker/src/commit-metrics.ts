import type { Deps } from '@merchant-payments/core'
import { readCommitWaitMs } from '@merchant-payments/db'
import type { Metrics } from '@merchant-payments/telemetry'

export function collectCommits(metrics: Metrics, { db }: Pick<Deps, 'db'>): void {
  metrics.gauge(
    'database_commit_wait_seconds',
    'Age in seconds of the oldest commit that waits for a synchronous standby.',
    [],
    async () => [{ labels: {}, value: (await readCommitWaitMs(db.reader)) / 1_000 }],
  )
}
