import {
  type Deps,
  dropOldMonth,
  ensurePartitions,
  keepPlannerFloor,
  type RemovalReport,
  sweepJtis,
  sweepKeys,
} from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

type HousekeepingDeps = Pick<Deps, 'db' | 'clock'>
type SweepDeps = HousekeepingDeps & Pick<Deps, 'alert'>

/** Spec 8: an Idempotency-Key is kept 24 hours. */
export const removeOldKeys = (deps: SweepDeps): Promise<RemovalReport & PassReport> => sweepKeys(deps)

export const removeOldJtis = (deps: SweepDeps): Promise<RemovalReport & PassReport> => sweepJtis(deps)

export async function makePartitions({ db, clock }: HousekeepingDeps): Promise<PassReport> {
  await ensurePartitions(db.writer, clock())
  return { full: false }
}

/**
 * Drops partitions older than the retention, one month at a time. A month with pending work, or one that
 * another session locks, stays until a later run, with an alert.
 */
export async function dropOldPartitions(
  { db, clock, alert }: SweepDeps,
  retentionDays: number,
): Promise<PassReport> {
  const months = await dropOldMonth(db.writer, clock(), retentionDays)
  const dropped = months.some((month) => month.dropped)
  // The last call drops nothing, so its report covers every month that stays.
  if (!dropped) {
    for (const { month, held } of months) alert(held ? 'partition_held' : 'partition_kept', { month })
  }
  return { full: dropped }
}

export async function keepStatistics({ db }: Pick<HousekeepingDeps, 'db'>): Promise<PassReport> {
  await keepPlannerFloor(db.writer)
  return { full: false }
}
