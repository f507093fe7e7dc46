import { type List, Refusal, type StaffEvent, type StaffEventDetail } from '@merchant-payments/contract'
import { readOfEvent, recordReadOnce, type StaffReader, type Viewed } from '../../audit/read.ts'
import { type MerchantId, parseId } from '../../base/ids.ts'
import { renderDelivery } from '../../deliveries/staff/render.ts'
import { listDeliveriesOf } from '../../deliveries/staff/store.ts'
import type { Deps } from '../../deps.ts'
import { type FanoutRow, renderFanout } from '../../events/staff/render.ts'
import { findStaffEvent, listEventRows } from '../../events/staff/store.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'

const DELIVERIES_SHOWN_MAX = 100

export const listStaffEvents = async (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  page: StaffPage,
  type: StaffEvent['type'] | null,
): Promise<List<StaffEvent>> =>
  renderPage('/events', await listEventRows(db.reader, page, type, clock()), renderStaffEvent)

/** @throws Refusal resource_missing */
export async function getStaffEvent(
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  idText: string,
): Promise<Viewed<StaffEventDetail>> {
  const { reader } = deps.db
  const id = parseId('evt', idText)
  const row = id === null ? undefined : await findStaffEvent(reader, id)
  if (row === undefined) throw new Refusal('resource_missing', 'No such event.')
  const merchantId = row.merchant_id as MerchantId
  const deliveries = await listDeliveriesOf(reader, merchantId, [row.id], DELIVERIES_SHOWN_MAX)
  const answer = { ...renderStaffEvent(row), body: row.body, deliveries: deliveries.map(renderDelivery) }
  const read = readOfEvent(merchantId, row.body)
  return { answer, entry: read && (await recordReadOnce(deps, by, read)) }
}

function renderStaffEvent(row: FanoutRow): StaffEvent {
  const { id, merchant, type, state, request_id, created } = renderFanout(row)
  return { id, object: 'event', merchant, type, state, request_id, created }
}
