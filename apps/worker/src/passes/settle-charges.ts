import { type Deps, SETTLE_BATCH_MAX, settleCharges, type SettleReport } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

/** Asks the rails about charges that are due, and writes what follows (spec 1.5). */
export async function settleDueCharges(
  deps: Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>,
): Promise<SettleReport & PassReport> {
  const report = await settleCharges(deps)
  return { ...report, full: report.claimed >= SETTLE_BATCH_MAX }
}
