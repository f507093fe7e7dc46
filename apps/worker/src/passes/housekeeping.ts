import {
  type Alert,
  type Deps,
  dropOldMonth,
  ensurePartitions,
  findExpiredKeys,
  findSpentJtis,
  keepPlannerFloor,
  REMOVAL_MAX,
  removeJtis,
  removeKeys,
  runBatch,
} from '@merchant-payments/core'
import type { PassReport } from './pass.ts'
import { reasonOf } from './reason-of.ts'

type HousekeepingDeps = Pick<Deps, 'db' | 'clock'>
type SweepDeps = HousekeepingDeps & Pick<Deps, 'alert'>

export interface RemovalReport extends PassReport {
  readonly removed: number
}

/** Spec 8: an Idempotency-Key is kept 24 hours. */
export async function removeOldKeys({ db, clock, alert }: SweepDeps): Promise<RemovalReport> {
  const nowMs = clock()
  const expired = await findExpiredKeys(db.reader, nowMs)
  const removed = await runBatch(expired, {
    write: async (keys) => [await removeKeys(db.writer, keys, nowMs)],
    onRefused: (_, error) => refused(alert, 'remove-old-keys', error),
  })
  return removal(removed)
}

export async function removeOldJtis({ db, clock, alert }: SweepDeps): Promise<RemovalReport> {
  const spent = await findSpentJtis(db.reader, clock())
  const removed = await runBatch(spent, {
    write: async (jtis) => [await removeJtis(db.writer, jtis)],
    onRefused: (_, error) => refused(alert, 'remove-old-jtis', error),
  })
  return removal(removed)
}

/** A row that the database does not let go of stays for the next run, and takes no other with it. */
function refused(alert: Alert, pass: string, error: unknown): Promise<number> {
  alert('row_refused', { pass, row: null, error: reasonOf(error) })
  return Promise.resolve(0)
}

function removal(counts: readonly number[]): RemovalReport {
  const removed = counts.reduce((sum, count) => sum + count, 0)
  return { removed, full: removed === REMOVAL_MAX }
}

export async function makePartitions({ db, clock }: HousekeepingDeps): Promise<PassReport> {
  await ensurePartitions(db.writer, clock())
  return { full: false }
}

/** Drops what is older than the deployment keeps, a month at a time. What something still waits in, or somebody holds, stays with an alert until a later run. */
export async function dropOldPartitions(
  { db, clock, alert }: SweepDeps,
  retentionDays: number,
): Promise<PassReport> {
  const months = await dropOldMonth(db.writer, clock(), retentionDays)
  const dropped = months.some((month) => month.dropped)
  // The last call of a run, which drops nothing, has looked at every month that stays.
  if (!dropped) {
    for (const { month, held } of months) alert(held ? 'partition_held' : 'partition_kept', { month })
  }
  return { full: dropped }
}

export async function keepStatistics({ db }: Pick<HousekeepingDeps, 'db'>): Promise<PassReport> {
  await keepPlannerFloor(db.writer)
  return { full: false }
}
