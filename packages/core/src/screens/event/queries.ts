import { type List, Refusal, type StaffEvent, type StaffEventDetail } from '@merchant-payments/contract'
import { type MerchantId, parseId } from '../../base/ids.ts'
import { renderDelivery } from '../../deliveries/staff/render.ts'
import { listDeliveriesOf } from '../../deliveries/staff/store.ts'
import type { Deps } from '../../deps.ts'
import { type FanoutRow, renderFanout } from '../../events/staff/render.ts'
import { findStaffEvent, listEventRows } from '../../events/staff/store.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'

const DELIVERIES_SHOWN_MAX = 100

export const listStaffEvents = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  type: StaffEvent['type'] | null,
): Promise<List<StaffEvent>> =>
  renderPage('/events', await listEventRows(db.reader, page, type), renderStaffEvent)

/** @throws Refusal resource_missing */
export async function getStaffEvent(
  { db: { reader } }: Pick<Deps, 'db'>,
  idText: string,
): Promise<StaffEventDetail> {
  const id = parseId('evt', idText)
  const row = id === null ? undefined : await findStaffEvent(reader, id)
  if (row === undefined) throw new Refusal('resource_missing', 'No such event.')
  const deliveries = await listDeliveriesOf(
    reader,
    row.merchant_id as MerchantId,
    [row.id],
    DELIVERIES_SHOWN_MAX,
  )
  return { ...renderStaffEvent(row), body: row.body, deliveries: deliveries.map(renderDelivery) }
}

function renderStaffEvent(row: FanoutRow): StaffEvent {
  const { id, merchant, type, state, request_id, created } = renderFanout(row)
  return { id, object: 'event', merchant, type, state, request_id, created }
}
