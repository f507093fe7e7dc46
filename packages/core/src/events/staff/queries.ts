import type { List, StaffFanout } from '@merchant-payments/contract'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderFanout } from './render.ts'
import { listUnfinishedFanouts } from './store.ts'

export const listFanouts = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  state: 'pending' | 'failed' | null,
): Promise<List<StaffFanout>> =>
  renderPage('/fanouts', await listUnfinishedFanouts(db.reader, page, state), renderFanout)
