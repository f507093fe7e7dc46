import {
  type Deps,
  dropOldMonth,
  ensurePartitions,
  REMOVAL_MAX,
  removeExpiredKeys,
  removeSpentJtis,
} from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

type HousekeepingDeps = Pick<Deps, 'db' | 'clock'>

export interface RemovalReport extends PassReport {
  readonly removed: number
}

/** Spec 8: an Idempotency-Key is kept 24 hours. */
export const removeOldKeys = async ({ db, clock }: HousekeepingDeps): Promise<RemovalReport> =>
  removal(await removeExpiredKeys(db.writer, clock()))

export const removeOldJtis = async ({ db, clock }: HousekeepingDeps): Promise<RemovalReport> =>
  removal(await removeSpentJtis(db.writer, clock()))

const removal = (removed: number): RemovalReport => ({ removed, full: removed === REMOVAL_MAX })

export async function makePartitions({ db, clock }: HousekeepingDeps): Promise<PassReport> {
  await ensurePartitions(db.writer, clock())
  return { full: false }
}

/** Drops what is older than the deployment keeps, a month at a time. What something still waits in stays, with an alert. */
export async function dropOldPartitions(
  { db, clock, alert }: HousekeepingDeps & Pick<Deps, 'alert'>,
  retentionDays: number,
): Promise<PassReport> {
  const months = await dropOldMonth(db.writer, clock(), retentionDays)
  const dropped = months.some((month) => month.dropped)
  // The last call of a run, which drops nothing, has looked at every month that stays.
  if (!dropped) for (const { month } of months) alert('partition_kept', { month })
  return { full: dropped }
}
