import type { List, StaffRefund } from '@merchant-payments/contract'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderStaffRefund } from './render.ts'
import { listRefundRows, type RefundFilter } from './store.ts'

export const listStaffRefunds = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  filter: RefundFilter,
): Promise<List<StaffRefund>> =>
  renderPage('/refunds', await listRefundRows(db.reader, page, filter), renderStaffRefund)
