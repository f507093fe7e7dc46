import type { List, StaffRefund, Totals } from '@merchant-payments/contract'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderStaffRefund } from './render.ts'
import { renderTotals } from '../../pages/staff/totals-store.ts'
import { listRefundRows, type RefundFilter, totalRefunds } from './store.ts'

export const listStaffRefunds = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  filter: RefundFilter,
): Promise<List<StaffRefund>> =>
  renderPage('/refunds', await listRefundRows(db.reader, page, filter), renderStaffRefund)

export const totalStaffRefunds = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  filter: RefundFilter,
): Promise<Totals> => renderTotals(await totalRefunds(db.reader, page, filter))
