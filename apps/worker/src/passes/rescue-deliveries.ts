import { type Deps, rescueDeliveries } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

export interface RescueReport extends PassReport {
  readonly rescued: number
}

/** Spec 6.3.8: makes a job again for each pending delivery whose job vanished. */
export async function rescueLostDeliveries({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<RescueReport> {
  const rescued = await rescueDeliveries(db.writer, clock())
  return { rescued, full: rescued > 0 }
}
