import { type Deps, lapseSessions, type LapseReport, type Walk } from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

/** Spec 6.1 and 8: expires checkout sessions. */
export const expireSessions = (
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
  walk?: Walk,
): Promise<LapseReport & PassReport> => lapseSessions(deps, walk)
