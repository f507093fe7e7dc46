import { exitOnFaults } from '@merchant-payments/config'
import type { Crashes } from '@merchant-payments/telemetry'
import { startProblemOf } from './start-problem.ts'

/**
 * Ends a process whose start failed. A faulty configuration is shown on stderr, a line for each problem. Any other problem
 * that somebody can mend is one line of the log, which says how. Rethrows an error that is a bug.
 */
export async function exitOnFailedStart(crashes: Crashes, error: unknown): Promise<never> {
  const problem = startProblemOf(error)
  if (problem === null) return exitOnFaults(error)
  const { reason, hint, exitCode } = problem
  return crashes.refuse({ reason, hint, err: error }, exitCode)
}
