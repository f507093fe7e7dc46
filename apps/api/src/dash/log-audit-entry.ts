import { type Changed, getAuditSeal } from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import type { Log } from '@merchant-payments/telemetry'

export interface AuditLogDeps {
  readonly db: Database
  readonly log: Log
}

export type LogAuditEntry = (entry: Changed['entry']) => Promise<void>

/**
 * Writes a log line for a committed audit entry. A log collector keeps the hash where the database's owner cannot
 * change it. `audit:verify --head` compares the database with it. A lost line loses nothing, because the hash in the
 * next one covers all earlier entries.
 */
export const logAuditEntry =
  ({ db, log }: AuditLogDeps): LogAuditEntry =>
  async ({ id, action, request_id }) => {
    try {
      const { position, hash } = await getAuditSeal(db.reader, id)
      log.info({ audit_entry: id, action, request_id, head: `${position}:${hash}` }, 'audit entry')
    } catch (error) {
      // The change is committed, so the answer is a success.
      log.error({ err: error, audit_entry: id, request_id }, 'could not read the hash of an audit entry')
    }
  }
