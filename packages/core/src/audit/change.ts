import { type AuditAction, type AuditEntry as WireEntry, Refusal } from '@merchant-payments/contract'
import { type Database, type Session, type Tx, within } from '@merchant-payments/db'
import type { Deps } from '../deps.ts'
import { keyInUse } from '../commit/answers.ts'
import type { KeyClaim } from '../commit/key.ts'
import { type MerchantId, mintId } from '../base/ids.ts'
import { whyClosed } from '../oauth/clients.ts'
import type { Before } from './before.ts'
import { refuseMoved } from './moved-store.ts'
import { type AuditFacts, renderAuditEntry, type Staff } from './render.ts'
import { type AuditKey, findAuditEntry, recordAuditEntry } from './store.ts'

export interface StaffRequest extends AuditKey {
  readonly staff: Staff
  readonly reason: string
  readonly requestId: string
  /** Other fingerprints of the same request: made under an older key, or by an earlier release. */
  readonly otherFingerprints?: readonly Buffer[]
}

export interface Change {
  /** Null for a statement of an operator, which belongs to no merchant, and for a bulk job of selected objects. */
  readonly merchantId: MerchantId | null
  readonly before: Before
  readonly after: AuditFacts
  /** Set if only the transaction knows what it did, and to which object. Replaces the requested action and target. */
  readonly action?: AuditAction
  readonly target?: string
}

export interface Changed {
  readonly entry: WireEntry
  readonly replayed: boolean
}

/**
 * Makes a change and its audit entry in one transaction. The entry answers a repeated request with the same key. A
 * refused change leaves nothing, so the same request may be made again.
 */
export async function changeOnce(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  { action, target }: { action: AuditAction; target: string },
  work: (db: Session, tx: Tx) => Promise<Change>,
): Promise<Changed> {
  const known = await findDone(db, request)
  if (known !== null) return known
  try {
    return await db.transact(async (tx) => {
      await refuseMoved(within(tx).reader, target)
      const change = await work(within(tx), tx)
      const { staff: actor, reason, requestId } = request
      const id = mintId('au', clock())
      const row = await recordAuditEntry(
        tx,
        { id, actor, action, target, reason, requestId, ...change },
        request,
      )
      return { entry: renderAuditEntry(row), replayed: false }
    })
  } catch (error) {
    // If a request with the same key committed first, this one fails on the changed state or on the key's unique index.
    const done = await findDone(db, request)
    if (done !== null) return done
    throw error
  }
}

async function findDone(
  { reader }: Database,
  { staff, key, fingerprint, otherFingerprints = [] }: StaffRequest,
): Promise<Changed | null> {
  const row = await findAuditEntry(reader, staff.subject, key)
  if (row === undefined) return null
  if (![fingerprint, ...otherFingerprints].some((known) => row.fingerprint?.equals(known))) {
    throw keyInUse()
  }
  return { entry: renderAuditEntry(row), replayed: true }
}

/**
 * Runs a command of the merchant in a change by staff. A closed merchant must not look like an invalid staff session.
 * The answer that the command stores under the claim is never shown, because staff see the audit entry.
 *
 * @throws Refusal client_disabled; service_unavailable while the merchant moves to another cell
 */
export async function asMerchant<T>(
  { reader }: Pick<Session, 'reader'>,
  request: StaffRequest,
  merchantId: MerchantId,
  command: (claim: KeyClaim) => Promise<T>,
): Promise<T> {
  try {
    return await command(claimFor(request, merchantId))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'authentication_error') throw error
    const why = await whyClosed(reader, merchantId, error)
    throw why.code === 'authentication_error'
      ? new Refusal('client_disabled', 'The merchant is disabled. Enable it first.')
      : why
  }
}

const claimFor = (
  { staff, key, fingerprint, requestId }: StaffRequest,
  merchantId: MerchantId,
): KeyClaim => ({
  merchantId,
  scope: `dash:${staff.subject}`,
  key,
  fingerprint,
  requestId,
  okStatus: 200,
})
