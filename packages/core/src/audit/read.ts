import type { AuditEntry as WireEntry } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { type CustomerId, type MerchantId, mintId } from '../base/ids.ts'
import { type AuditFacts, renderAuditEntry, type Staff } from './render.ts'
import { hasReadSince, recordAuditRead } from './store.ts'

/** docs/spec-gaps.md, staff: whoever looks again within this time is in the log once. */
export const READ_SHARED_MS = 10 * 60_000

/** The staff member who reads, and in which request. */
export interface StaffReader {
  readonly staff: Staff
  readonly requestId: string
}

/** Who is looked at: a customer, or whoever has a number, by the number's keyed hash. */
export type AuditRead =
  | { readonly action: 'customer.view'; readonly target: CustomerId; readonly merchantId: MerchantId }
  | { readonly action: 'number.look_up'; readonly target: string; readonly merchantId: null }

/** What is answered to a read that shows a person, and its new entry in the log: null where an earlier one serves. */
export interface Viewed<T> {
  readonly answer: T
  readonly entry: WireEntry | null
}

/** Before its answer is sent: a read that cannot be written down is not answered. */
export async function recordRead(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { staff: actor, requestId }: StaffReader,
  read: AuditRead,
  after: AuditFacts = {},
): Promise<WireEntry> {
  const id = mintId('au', clock())
  return renderAuditEntry(
    await db.transact((tx) => recordAuditRead(tx, { ...read, id, actor, requestId, after })),
  )
}

/** As `recordRead`, once in `READ_SHARED_MS` for each staff member and target; of two at once there may be two entries. */
export async function recordReadOnce(
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  read: AuditRead,
): Promise<WireEntry | null> {
  const sinceMs = deps.clock() - READ_SHARED_MS
  if (await hasReadSince(deps.db.reader, by.staff.subject, read, sinceMs)) return null
  return recordRead(deps, by, read)
}
