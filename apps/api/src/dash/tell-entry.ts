import { type Changed, getAuditSeal } from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import type { Log } from '@merchant-payments/telemetry'

export interface TellDeps {
  readonly db: Database
  readonly log: Log
}

export type TellEntry = (entry: Changed['entry']) => Promise<void>

/**
 * Writes a log line for an audit entry that was committed. A log collector keeps it where nobody who owns the database
 * can change it, and `audit:verify --head` compares the database with it. A line that is lost, with its process
 * or with the answer to its commit, takes nothing away: the hash of the next one covers all entries before it.
 */
export const tellEntry =
  ({ db, log }: TellDeps): TellEntry =>
  async ({ id, action, request_id }) => {
    try {
      const { position, hash } = await getAuditSeal(db.reader, id)
      log.info({ audit_entry: id, action, request_id, head: `${position}:${hash}` }, 'audit entry')
    } catch (error) {
      // The change is made, so it is answered as one.
      log.error({ err: error, audit_entry: id, request_id }, 'the hash of an audit entry was not read')
    }
  }
