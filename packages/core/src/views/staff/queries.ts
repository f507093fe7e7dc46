import { type List, type SavedView, SHARED_VIEWS_MAX } from '@merchant-payments/contract'
import type { StaffReader } from '../../audit/read.ts'
import { secondsOf } from '../../base/clock.ts'
import { idOf } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { renderPage } from '../../pages/staff/page.ts'
import { listViewRows, type ViewRow } from './store.ts'

export const listSavedViews = async (
  { db }: Pick<Deps, 'db'>,
  { staff }: StaffReader,
): Promise<List<SavedView>> =>
  renderPage('/saved_views', await listViewRows(db.reader, staff.subject, SHARED_VIEWS_MAX), renderView)

const renderView = (row: ViewRow): SavedView => ({
  id: idOf('vw', row.id),
  object: 'saved_view',
  list: row.list as SavedView['list'],
  name: row.name,
  search: lasting(row.search),
  shared: row.is_shared,
  owner: { subject: row.owner_subject, name: row.owner_name },
  created: secondsOf(row.created_at),
})

/**
 * The filters without the handle of a payer's number. A handle expires after 12 hours, and the list would then be
 * refused. Views that were saved with one are shown without it.
 */
export const lasting = (search: string): string =>
  search
    .split('&')
    .filter((part) => !part.startsWith('payer='))
    .join('&')
