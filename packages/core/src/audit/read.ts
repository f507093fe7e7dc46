import type { AuditEntry as WireEntry, ExportKind } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import { MINUTE_MS } from '../base/clock.ts'
import type { Deps } from '../deps.ts'
import { type CustomerId, type MerchantId, mintId, parseId } from '../base/ids.ts'
import { type AuditFacts, renderAuditEntry, type Staff } from './render.ts'
import { hasReadSince, recordAuditRead } from './store.ts'

/** docs/spec-gaps.md, staff: repeated reads within this time share one audit entry. */
export const READ_SHARED_MS = 10 * MINUTE_MS

export interface StaffReader {
  readonly staff: Staff
  readonly requestId: string
}

/**
 * The person whose data is read, or a file of rows. In a look-up, `target` is the keyed hash of the number, the name or the
 * e-mail, or the name of the list that shows persons.
 */
export type AuditRead =
  | { readonly action: 'customer.view'; readonly target: CustomerId; readonly merchantId: MerchantId }
  | {
      readonly action: 'number.look_up' | 'person.look_up'
      readonly target: string
      readonly merchantId: null
    }
  | { readonly action: 'export.create'; readonly target: ExportKind; readonly merchantId: MerchantId | null }

export const readOfCustomers: AuditRead = { action: 'person.look_up', target: 'customers', merchantId: null }

interface EventBody {
  readonly data: { readonly object: { readonly object: string; readonly id: string } }
}

/** Null unless the event is about a customer: showing its body then reads a person's data. */
export function readOfEvent(merchantId: MerchantId, body: string): AuditRead | null {
  const { object } = (JSON.parse(body) as EventBody).data
  const target = object.object === 'customer' ? parseId('cus', object.id) : null
  return target === null ? null : { action: 'customer.view', target, merchantId }
}

/** `entry` is null if an earlier audit entry covers the read. */
export interface Viewed<T> {
  readonly answer: T
  readonly entry: WireEntry | null
}

/** Commits the entry before the answer is sent: a read that cannot be logged is not answered. */
export const recordRead = (
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  read: AuditRead,
  after: AuditFacts = {},
): Promise<WireEntry> => deps.db.transact((tx) => record(tx, deps, by, read, after))

async function record(
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  { staff: actor, requestId }: StaffReader,
  read: AuditRead,
  after: AuditFacts,
): Promise<WireEntry> {
  const id = mintId('au', clock())
  return renderAuditEntry(await recordAuditRead(tx, { ...read, id, actor, requestId, after }))
}

/**
 * Records once per staff member and target in `READ_SHARED_MS`. Concurrent reads may both be logged. The primary says
 * whether there is an entry: a standby that staff read from may not have it yet.
 */
export const recordReadOnce = (
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  read: AuditRead,
): Promise<WireEntry | null> =>
  deps.db.transact(async (tx) => {
    const sinceMs = deps.clock() - READ_SHARED_MS
    const recorded = await hasReadSince(tx, by.staff.subject, read, sinceMs)
    return recorded ? null : record(tx, deps, by, read, {})
  })
