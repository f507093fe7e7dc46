import { exitOnFaults } from '@merchant-payments/config'
import type { Crashes } from '@merchant-payments/telemetry'
import { startFaultOf } from './start-fault.ts'

/**
 * Ends a process whose start failed. A faulty configuration is shown on stderr, a line for each fault. Any other fault
 * that somebody can mend is one line of the log, which says how. Rethrows an error that is a bug.
 */
export async function exitOnFailedStart(crashes: Crashes, error: unknown): Promise<never> {
  const fault = startFaultOf(error)
  if (fault === null) return exitOnFaults(error)
  const { reason, hint, exitCode } = fault
  return crashes.refuse({ reason, hint, err: error }, exitCode)
}
