import { type Deps, finishErasures, type FinishReport } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

/** Spec 3.2: continues erasures whose process has stopped or died. */
export const finishBegun = (
  deps: Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'>,
): Promise<FinishReport & PassReport> => finishErasures(deps)
