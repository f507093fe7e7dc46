import { type Alert, HOUR_MS, MINUTE_MS } from '@merchant-payments/core'

/** Two leases. By then, other workers have taken over the rows that the pass leased. */
export const PASS_OVERDUE_MS = 2 * MINUTE_MS
/** Work that a pass leaves running asks rails and receivers, and may write row by row. */
export const WORK_OVERDUE_MS = 10 * MINUTE_MS
/** A sweep changes many rows, each in its own transaction. The longest sweep interval is an hour. */
export const SWEEP_OVERDUE_MS = HOUR_MS

export interface Watchdog {
  /**
   * Alerts if `running` does not end in time. It does not stop or restart the pass; only a process restart
   * does.
   */
  watch<T>(pass: string, overdueMs: number, running: Promise<T>): Promise<T>
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
