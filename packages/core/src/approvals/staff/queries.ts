import type { ApprovalRequest, List } from '@merchant-payments/contract'
import type { StaffReader } from '../../audit/read.ts'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderApprovalFor } from './render.ts'
import { listApprovalRows } from './store.ts'

export const listApprovalRequests = async (
  { db }: Pick<Deps, 'db'>,
  { staff }: StaffReader,
  page: StaffPage,
  status: ApprovalRequest['status'] | null,
): Promise<List<ApprovalRequest>> =>
  renderPage('/approval_requests', await listApprovalRows(db.reader, page, status), renderApprovalFor(staff))
