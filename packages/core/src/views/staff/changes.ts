import { Refusal, type SavedView } from '@merchant-payments/contract'
import { beforeOf, nothing } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { idIn, mintId } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { lasting } from './queries.ts'
import { countViews, deleteView, insertView, lockViews } from './store.ts'

/** docs/spec-gaps.md, staff: saved views of one staff member. */
const VIEWS_MAX = 50

export function saveView(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  wanted: Pick<SavedView, 'list' | 'name' | 'search' | 'shared'>,
): Promise<Changed> {
  const id = mintId('vw', deps.clock())
  return changeOnce(deps, request, { action: 'view.save', target: id }, async (_db, tx) => {
    await lockViews(tx, request.staff.subject)
    if ((await countViews(tx, request.staff.subject)) >= VIEWS_MAX) {
      throw new Refusal('invalid_request', `is one too many: you have ${VIEWS_MAX} views`, { param: 'name' })
    }
    await insertView(tx, { ...wanted, id, search: lasting(wanted.search) }, request.staff, deps.clock())
    return { merchantId: null, before: nothing, after: { list: wanted.list, shared: wanted.shared } }
  })
}

const noSuchView = () => new Refusal('resource_missing', 'You have no such view.')

export function removeView(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('vw', idText, noSuchView)
  return changeOnce(deps, request, { action: 'view.remove', target: id }, async (_db, tx) => {
    const view = await deleteView(tx, id, request.staff.subject)
    if (view === undefined) throw noSuchView()
    const before = beforeOf(view, ({ list, is_shared: shared }) => ({ list, shared }))
    return { merchantId: null, before, after: {} }
  })
}
