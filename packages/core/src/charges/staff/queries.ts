import type { List, StaffCharge } from '@merchant-payments/contract'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderCharge } from './render.ts'
import { listChargeRows } from './store.ts'

/** Longer than any rail's approval window: a charge that waits this long for its rail needs attention. */
export const STUCK_AFTER_MS = 15 * 60_000

export async function listStaffCharges(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  page: StaffPage,
  { state, rail }: { state: 'open' | 'stuck' | 'duplicate' | 'mismatch' | null; rail: string | null },
): Promise<List<StaffCharge>> {
  const found = await listChargeRows(db.reader, page, {
    queue: state === 'stuck' ? 'open' : state,
    openedBeforeMs: state === 'stuck' ? clock() - STUCK_AFTER_MS : null,
    rail,
  })
  return renderPage('/charges', found, renderCharge)
}
