import { constants } from 'node:os'

/**
 * Ends the process on SIGTERM or SIGINT with the code that a shell would show. A program calls this first: Linux drops a
 * signal of process 1, as in a container, while nothing handles it.
 */
export function exitOnSignal(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => process.exit(128 + constants.signals[signal]))
  }
}
