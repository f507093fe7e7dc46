import {
  DAY_MS,
  type Deps,
  dropOldMonth,
  ensurePartitions,
  keepPlannerFloor,
  type Retention,
} from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

/** Months are made ahead, so one that another session holds up waits for the next hour's run, with an alert. */
export async function makePartitions({ db, clock, alert }: SweepDeps): Promise<PassReport> {
  const held = await ensurePartitions(db.writer, clock())
  if (held !== null) alert('partition_held', { month: held })
  return { full: false }
}

/** How long `archive write`, which runs once a day, may leave a month that is due before an operator is alerted. */
const ARCHIVE_LATE_MS = 2 * DAY_MS

/**
 * Drops partitions older than the retention, one month at a time. A month with pending work, without its archive, or
 * one that another session locks stays until a later run, with an alert.
 */
export async function dropOldPartitions(
  { db, clock, alert }: SweepDeps,
  retention: Retention,
): Promise<PassReport> {
  const nowMs = clock()
  const months = await dropOldMonth(db.writer, nowMs, retention)
  const dropped = months.some(({ outcome }) => outcome === 'dropped')
  // The last call drops nothing, so its report covers every month that stays.
  if (!dropped) {
    const lateSinceMs = nowMs - retention.days * DAY_MS - ARCHIVE_LATE_MS
    for (const { month, outcome } of months) {
      if (outcome === 'held') alert('partition_held', { month })
      else if (outcome === 'unfinished') alert('partition_kept', { month })
      else if (endOfMonthMs(month) <= lateSinceMs) alert('archive_overdue', { month })
    }
  }
  return { full: dropped }
}

/** @param month such as 202501 */
const endOfMonthMs = (month: string): number => Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)))

export async function keepStatistics({ db }: Pick<Deps, 'db'>): Promise<PassReport> {
  await keepPlannerFloor(db.writer)
  return { full: false }
}
