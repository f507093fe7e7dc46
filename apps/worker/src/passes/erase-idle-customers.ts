import { type Deps, eraseIdleCustomers, IDLE_MAX } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

export interface EraseIdleReport extends PassReport {
  readonly found: number
}

/** Spec 3.2, 8: erases customers who were idle for more than 365 days. */
export async function eraseIdle(
  deps: Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'>,
): Promise<EraseIdleReport> {
  const found = await eraseIdleCustomers(deps)
  return { found, full: found === IDLE_MAX }
}
