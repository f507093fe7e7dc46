import { type List, Refusal, type StaffDelivery, type StaffDeliveryDetail } from '@merchant-payments/contract'
import type { Deps } from '../../deps.ts'
import { parseId } from '../../base/ids.ts'
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
  { db: { reader } }: Pick<Deps, 'db'>,
  idText: string,
): Promise<StaffDeliveryDetail> {
  const id = parseId('wd', idText)
  const row = id === null ? undefined : await findDelivery(reader, id)
  if (row === undefined) throw noSuchDelivery()
  const [body, attempts] = await Promise.all([
    findBody(reader, row),
    listAttempts(reader, row, ATTEMPTS_SHOWN_MAX),
  ])
  return renderDeliveryDetail(row, body, attempts)
}
