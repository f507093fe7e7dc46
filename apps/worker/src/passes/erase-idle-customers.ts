import { type Deps, eraseIdleCustomers } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

export interface EraseIdleReport extends PassReport {
  readonly begun: number
}

/** Spec 3.2, 8: erases customers who were idle for more than 365 days. */
export function eraseIdle(deps: Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'>): Promise<EraseIdleReport> {
  return eraseIdleCustomers(deps)
}
