import type { ApprovalRequest } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { sql } from 'kysely'
import { livesHere } from '../../base/client-status.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { approvalColumns, type ApprovalRow } from '../store.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, inOrder, onPage } from '../../pages/staff/store.ts'

export async function listApprovalRows(
  reader: Reader,
  page: StaffPage,
  status: ApprovalRequest['status'] | null,
): Promise<Page<ApprovalRow>> {
  const id = sql.ref('t.id')
  const where = all([
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    // A literal lets PostgreSQL use the partial index of pending requests.
    status === null ? null : sql`t.status = ${sql.lit(status)}`,
    status === 'pending' ? livesHere(sql`t.merchant_id`) : null,
    onPage(page, id),
  ])
  const rows = await reader
    .selectFrom(
      sql<ApprovalRow>`(select ${columnsOf('t', approvalColumns)} from approval_requests t where ${where} ${inOrder(page, id)})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(columnsIn('r', approvalColumns))
    .execute()
  return pageOf(rows, page)
}
