import type { AuditEntry, List, StaffColleague } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { renderAuditEntry } from '../../audit/render.ts'
import { type AuditFilter, listActorRows, listAuditRows } from '../../audit/store.ts'
import { idOf, type MerchantId, parseId } from '../../base/ids.ts'
import { listChargesOf } from '../../charges/staff/store.ts'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { findIntentRow } from '../../payment-intents/staff/store.ts'

/** More than a payment can have: the charges of one intent are bounded (docs/spec-gaps.md). */
const CHARGES_MAX = 100

/** docs/spec-gaps.md, staff. */
const COLLEAGUES_MAX = 500

interface Wanted extends Omit<AuditFilter, 'targets'> {
  readonly target: string | null
}

export async function listAuditEntries(
  { db: { reader } }: Pick<Deps, 'db'>,
  page: StaffPage,
  { target, ...filter }: Wanted,
): Promise<List<AuditEntry>> {
  const targets = target === null ? null : [target, ...(await chargesOf(reader, target))]
  const found = await listAuditRows(reader, page, { ...filter, targets })
  return renderPage('/audit_entries', found, renderAuditEntry)
}

/** Changes of a payment's charges name the charge, while people look for the payment. */
async function chargesOf(reader: Reader, target: string): Promise<string[]> {
  const id = parseId('pi', target)
  const intent = id === null ? undefined : await findIntentRow(reader, id)
  if (id === null || intent === undefined) return []
  const charges = await listChargesOf(reader, intent.merchant_id as MerchantId, id, CHARGES_MAX)
  return charges.map((charge) => idOf('ch', charge.id))
}

export async function listColleagues({ db }: Pick<Deps, 'db'>): Promise<List<StaffColleague>> {
  const rows = await listActorRows(db.reader, COLLEAGUES_MAX)
  const colleagues = rows.map(({ actor_subject: id, actor_name: name }) => ({
    id,
    object: 'staff_colleague' as const,
    name,
  }))
  const items = colleagues.toSorted((a, b) => a.name.localeCompare(b.name))
  return renderPage('/colleagues', { items, hasMore: false }, (item) => item)
}
