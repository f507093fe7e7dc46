import type { AuditEntry, List } from '@merchant-payments/contract'
import { renderPage, type StaffPage } from '../pages/staff/page.ts'
import type { Deps } from '../deps.ts'
import { renderAuditEntry } from './render.ts'
import { type AuditFilter, listAuditRows } from './store.ts'

export const listAuditEntries = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  filter: AuditFilter,
): Promise<List<AuditEntry>> =>
  renderPage('/audit_entries', await listAuditRows(db.reader, page, filter), renderAuditEntry)
