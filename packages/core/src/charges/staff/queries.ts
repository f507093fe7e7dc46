import type { List, StaffCharge } from '@merchant-payments/contract'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderCharge } from './render.ts'
import { listLiveCharges } from './store.ts'

/** Longer than any rail's approval window: a charge that waits this long for its rail needs attention. */
export const STUCK_AFTER_MS = 15 * 60_000

export async function listStuckCharges(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  page: StaffPage,
  rail: string | null,
): Promise<List<StaffCharge>> {
  const found = await listLiveCharges(db.reader, page, { openedBeforeMs: clock() - STUCK_AFTER_MS, rail })
  return renderPage('/stuck_charges', found, renderCharge)
}
