import { type List, Refusal, type StaffDelivery, type StaffDeliveryDetail } from '@merchant-payments/contract'
import { readOfEvent, recordReadOnce, type StaffReader, type Viewed } from '../../audit/read.ts'
import type { Deps } from '../../deps.ts'
import { idIn, type MerchantId } from '../../base/ids.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderDelivery, renderDeliveryDetail } from './render.ts'
import { type DeliveryFilter, findBody, findDelivery, listAttempts, listDeliveryRows } from './store.ts'

/** Attempts that are shown of a delivery. Even a dozen replays have fewer. */
const ATTEMPTS_SHOWN_MAX = 100

export const noSuchDelivery = () => new Refusal('resource_missing', 'No such delivery.')

export const listStaffDeliveries = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  filter: DeliveryFilter,
): Promise<List<StaffDelivery>> =>
  renderPage('/deliveries', await listDeliveryRows(db.reader, page, filter), renderDelivery)

/** @throws Refusal resource_missing */
export async function getStaffDelivery(
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  idText: string,
): Promise<Viewed<StaffDeliveryDetail>> {
  const { reader } = deps.db
  const id = idIn('wd', idText, noSuchDelivery)
  const row = await findDelivery(reader, id)
  if (row === undefined) throw noSuchDelivery()
  const [body, attempts] = await Promise.all([
    findBody(reader, row),
    listAttempts(reader, row, ATTEMPTS_SHOWN_MAX),
  ])
  const read = body === null ? null : readOfEvent(row.merchant_id as MerchantId, body)
  const entry = read && (await recordReadOnce(deps, by, read))
  return { answer: renderDeliveryDetail(row, body, attempts), entry }
}
