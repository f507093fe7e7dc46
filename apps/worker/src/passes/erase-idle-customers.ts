import { type Deps, eraseIdleCustomers, IDLE_MAX } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

export interface EraseIdleReport extends PassReport {
  readonly found: number
}

/** Spec 3.2, 8: erases customers who were idle for more than 365 days. */
export async function eraseIdle({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<EraseIdleReport> {
  const found = await eraseIdleCustomers({ db, clock })
  return { found, full: found === IDLE_MAX }
}
