import { type Deps, finishErasures, type FinishReport } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

/** Spec 3.2: goes on with erasures that were begun, whatever became of the process that began them. */
export const finishBegun = (
  deps: Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'>,
): Promise<FinishReport & PassReport> => finishErasures(deps)
