import type { Alert } from '@merchant-payments/core'

/** Two leases: what a pass of a queue still holds then, others have long taken over. */
export const PASS_OVERDUE_MS = 2 * 60_000
/** What a pass leaves running asks rails and receivers, and may write row by row. */
export const WORK_OVERDUE_MS = 10 * 60_000
/** A sweep erases or removes many rows, each in a transaction of its own; the longest interval of one is an hour. */
export const SWEEP_OVERDUE_MS = 60 * 60_000

export interface Watchdog {
  /** Tells when `running` does not end in time. It is neither ended nor started again: only a restart does either. */
  watch<T>(pass: string, overdueMs: number, running: Promise<T>): Promise<T>
  /** The passes of which something should have ended and has not. */
  overdue(): readonly string[]
}

export function createWatchdog(alert: Alert): Watchdog {
  const late = new Map<symbol, string>()
  return {
    watch: (pass, overdueMs, running) => {
      const watched = Symbol(pass)
      const timer = setTimeout(() => {
        late.set(watched, pass)
        alert('pass_overdue', { pass, after_ms: overdueMs })
      }, overdueMs)
      return running.finally(() => {
        clearTimeout(timer)
        late.delete(watched)
      })
    },
    overdue: () => [...new Set(late.values())],
  }
}
