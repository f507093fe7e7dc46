import { type Deps, type ExpireReport, expireRequests } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

export const expireApprovals = (
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
): Promise<ExpireReport & PassReport> => expireRequests(deps)
