import { type BulkReport, type Deps, getAuditSeal, runBulkJobs } from '@merchant-payments/core'
import type { Log } from '@merchant-payments/telemetry'

interface BulkDeps extends Pick<Deps, 'db' | 'clock' | 'alert'> {
  readonly log: Log
}

/** Runs the due bulk jobs. Each batch has a log line, whose hash covers all its entries. */
export async function runBulk(deps: BulkDeps): Promise<BulkReport> {
  const { db, log } = deps
  const report = await runBulkJobs(deps)
  for (const entry of report.entries) {
    try {
      const { position, hash } = await getAuditSeal(db.reader, entry)
      log.info({ audit_entry: entry, head: `${position}:${hash}` }, 'audit entry')
    } catch (error) {
      // The batch is committed, and the next line's hash covers it.
      log.error({ err: error, audit_entry: entry }, 'could not read the hash of an audit entry')
    }
  }
  return report
}
