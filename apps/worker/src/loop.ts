import type { Clock } from '@merchant-payments/core'
import type { Log } from '@merchant-payments/telemetry'
import type { PassReport } from './passes/pass.ts'

const BACK_OFF_MIN_MS = 500
const BACK_OFF_MAX_MS = 5_000

interface LoopOptions {
  readonly name: string
  readonly everyMs: number | (() => number)
  readonly run: () => Promise<PassReport>
  readonly log: Log
  readonly clock: Clock
}

export interface Loop {
  readonly name: string
  readonly lastEndMs: () => number | null
  /** Ends the present rest, or skips the next one if a pass is running. A rest after a failure is not cut short. */
  ring(): void
  stop(): Promise<void>
}

/**
 * Repeats a pass: at once while it returns full, otherwise after a rest, and after a growing rest while it
 * fails.
 */
export function startLoop({ name, everyMs, run, log, clock }: LoopOptions): Loop {
  const restMs = typeof everyMs === 'number' ? () => everyMs : everyMs
  const alarm = createAlarm()
  const backOff = createAlarm()
  const stopping = new AbortController()
  let lastEndMs: number | null = null
  let failures = 0

  async function runOnce(): Promise<void> {
    try {
      const { full } = await run()
      lastEndMs = clock()
      failures = 0
      if (!full) await alarm.rest(restMs())
    } catch (error) {
      log.error({ pass: name, err: error }, 'pass failed')
      await backOff.rest(Math.min(BACK_OFF_MIN_MS * 2 ** failures, BACK_OFF_MAX_MS))
      failures += 1
    }
  }
  async function runOn(): Promise<void> {
    while (!stopping.signal.aborted) await runOnce()
  }

  const ended = runOn()
  return {
    name,
    lastEndMs: () => lastEndMs,
    ring: () => alarm.ring(),
    stop: () => {
      stopping.abort()
      alarm.ring()
      backOff.ring()
      return ended
    },
  }
}

/** A rest that `ring()` ends. `ring()` while awake skips the next rest. */
function createAlarm() {
  let rung = false
  let wake = (): void => {}
  return {
    ring(): void {
      rung = true
      wake()
    },
    async rest(ms: number): Promise<void> {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
    },
  }
}
