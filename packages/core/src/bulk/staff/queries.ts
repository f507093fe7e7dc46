import { type BulkJob, type List, Refusal } from '@merchant-payments/contract'
import { secondsOf, secondsOrNull } from '../../base/clock.ts'
import { idIn, idOf } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { type BulkRow, findJob, listJobRows } from '../store.ts'

export const noSuchJob = () => new Refusal('resource_missing', 'No such bulk job.')

export const listBulkJobs = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  status: BulkJob['status'] | null,
): Promise<List<BulkJob>> => renderPage('/bulk_jobs', await listJobRows(db.reader, page, status), renderJob)

/** @throws Refusal resource_missing */
export async function getBulkJob({ db }: Pick<Deps, 'db'>, idText: string): Promise<BulkJob> {
  const id = idIn('blk', idText, noSuchJob)
  const row = await findJob(db.reader, id)
  if (row === undefined) throw noSuchJob()
  return renderJob(row)
}

const renderJob = (row: BulkRow): BulkJob => ({
  id: idOf('blk', row.id),
  object: 'bulk_job',
  kind: row.kind,
  merchant: row.merchant_id,
  endpoint: row.endpoint_id,
  from: secondsOrNull(row.from_at),
  until: secondsOrNull(row.until_at),
  status: row.status,
  objects: row.objects,
  done: row.done,
  skipped: row.skipped,
  reason: row.reason,
  created_by: { subject: row.actor_subject, name: row.actor_name },
  created: secondsOf(row.created_at),
  finished_at: secondsOrNull(row.finished_at),
})
