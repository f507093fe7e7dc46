import type { Deps } from '@merchant-payments/core'
import { type HeldSnapshot, readHeldSnapshots, type SnapshotHolder } from '@merchant-payments/db'
import type { Metrics } from '@merchant-payments/telemetry'

const holders: readonly SnapshotHolder[] = ['session', 'standby', 'slot', 'prepared']

/** There is no sample of sessions and standbys while PostgreSQL does not show them. */
export function collectSnapshots(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  const ageOf = createAges()
  metrics.gauge(
    'database_oldest_snapshot_seconds',
    'Age in seconds of the oldest snapshot for which the database keeps rows that are gone.',
    ['holder'],
    async () => {
      const held = await readHeldSnapshots(db.reader)
      const ages = ageOf(held, clock())
      const maySee = held.some(({ holder }) => holder === 'session')
      return holders
        .filter((holder) => maySee || (holder !== 'session' && holder !== 'standby'))
        .map((holder) => ({ labels: { holder }, value: (ages.get(holder) ?? 0) / 1_000 }))
    },
  )
}

/**
 * The greatest age of each kind, in ms: the time since the same rows were first seen to be kept, and the age that
 * PostgreSQL knew then. One transaction takes many snapshots, and one snapshot serves many statements.
 */
export function createAges() {
  let sinceMs = new Map<string, number>()
  return (held: readonly HeldSnapshot[], nowMs: number): ReadonlyMap<SnapshotHolder, number> => {
    const stillMs = new Map<string, number>()
    const oldest = new Map<SnapshotHolder, number>()
    for (const { holder, name, xmin, ageMs } of held) {
      if (xmin === null) continue
      const key = JSON.stringify([holder, name, xmin])
      const since = sinceMs.get(key) ?? nowMs - (ageMs ?? 0)
      stillMs.set(key, since)
      oldest.set(holder, Math.max(oldest.get(holder) ?? 0, nowMs - since))
    }
    sinceMs = stillMs
    return oldest
  }
}
