import { type Crashes, endLog } from '@merchant-payments/telemetry'

/**
 * Below the 30 s after which orchestrators kill the process. Above the longest call to a rail (`TOTAL_TIMEOUT_MAX_MS` in
 * packages/config), its follow-up of 5 s and the 1.5 s in which requests still come.
 */
const STOP_MAX_MS = 28_000

interface Ending {
  /** Whether a signal has come. */
  readonly began: () => boolean
  /** Sets what a signal waits for. Until then nothing runs, and a signal ends the process at once. */
  readonly after: (stop: () => Promise<void>) => void
}

/**
 * Ends the process with 0 on SIGTERM or SIGINT, after its last line. A second signal, or a stop that takes too long, ends
 * it with 1. A program calls this first: Linux drops a signal of process 1, as in a container, while nothing handles it.
 */
export function endOnSignal(crashes: Pick<Crashes, 'log'>): Ending {
  let signals = 0
  let stop: (() => Promise<void>) | null = null
  async function onSignal(): Promise<void> {
    signals += 1
    if (signals > 1) process.exit(1)
    setTimeout(() => process.exit(1), STOP_MAX_MS).unref()
    const { log } = crashes
    if (stop !== null) {
      log?.info('stopping')
      await stop()
    }
    log?.info('stopped')
    if (log !== null) await endLog(log)
    process.exit(0)
  }
  process.on('SIGTERM', () => void onSignal())
  process.on('SIGINT', () => void onSignal())
  return {
    began: () => signals > 0,
    after: (work) => {
      stop = work
    },
  }
}
