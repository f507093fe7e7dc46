import { type Deps, lapseSessions, type LapseReport } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

/** Spec 6.1 and 8: expires checkout sessions. */
export const expireSessions = (
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
): Promise<LapseReport & PassReport> => lapseSessions(deps)
