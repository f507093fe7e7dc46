import { type CollectReport, collectPayerNumbers, type Deps } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

export const collectNumbers = (
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
): Promise<CollectReport & PassReport> => collectPayerNumbers(deps)
