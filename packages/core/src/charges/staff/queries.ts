import type { AmountRange, Currency, List, StaffCharge, Totals } from '@merchant-payments/contract'
import { MINUTE_MS } from '../../base/clock.ts'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderTotals } from '../../pages/staff/totals-store.ts'
import { renderListedCharge } from './render.ts'
import { type ChargeFilter, listChargeRows, totalCharges } from './store.ts'

/** Longer than the default approval windows, so a charge that waits this long needs attention. */
export const STUCK_AFTER_MS = 15 * MINUTE_MS

interface Wanted {
  readonly state: 'open' | 'stuck' | 'duplicate' | 'mismatch' | null
  readonly rail: string | null
  readonly amount: AmountRange | null
  readonly currency: Currency | null
}

export const listStaffCharges = async (
  deps: Pick<Deps, 'db' | 'clock'>,
  page: StaffPage,
  wanted: Wanted,
): Promise<List<StaffCharge>> =>
  renderPage(
    '/charges',
    await listChargeRows(deps.db.reader, page, filterOf(deps, wanted)),
    renderListedCharge,
  )

export const totalStaffCharges = async (
  deps: Pick<Deps, 'db' | 'clock'>,
  page: StaffPage,
  wanted: Wanted,
): Promise<Totals> => renderTotals(await totalCharges(deps.db.reader, page, filterOf(deps, wanted)))

const filterOf = ({ clock }: Pick<Deps, 'clock'>, { state, ...others }: Wanted): ChargeFilter => ({
  ...others,
  queue: state === 'stuck' ? 'open' : state,
  openedBeforeMs: state === 'stuck' ? clock() - STUCK_AFTER_MS : null,
})
