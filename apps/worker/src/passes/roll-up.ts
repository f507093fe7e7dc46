import { type Deps, rollUp, type RollUpReport } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

export const rollUpCharges = (
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
): Promise<RollUpReport & PassReport> => rollUp(deps)
