import type { Clock } from '@merchant-payments/core'
import type { Log } from '@merchant-payments/log'
import type { PassReport } from './passes/pass.ts'

const BACK_OFF_MIN_MS = 500
const BACK_OFF_MAX_MS = 5_000

interface LoopOptions {
  readonly name: string
  readonly everyMs: number
  readonly run: () => Promise<PassReport>
  readonly log: Log
  readonly clock: Clock
}

export interface Loop {
  readonly name: string
  readonly lastEndMs: () => number | null
  /** Ends the present or the next rest at once. */
  ring(): void
  /** Resolves when the pass that runs has ended. */
  stop(): Promise<void>
}

/** Runs a pass again at once while it comes back full, after a rest otherwise, and after a growing one when it fails. */
export function startLoop({ name, everyMs, run, log, clock }: LoopOptions): Loop {
  const alarm = createAlarm()
  const stopping = new AbortController()
  let lastEndMs: number | null = null
  let failures = 0

  async function runOnce(): Promise<void> {
    try {
      const { full } = await run()
      lastEndMs = clock()
      failures = 0
      if (!full) await alarm.rest(everyMs)
    } catch (error) {
      log.error({ pass: name, err: error }, 'pass failed')
      await alarm.rest(Math.min(BACK_OFF_MIN_MS * 2 ** failures, BACK_OFF_MAX_MS))
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
      return ended
    },
  }
}

/** A rest that can be cut short; a ring that finds nobody at rest cuts the next one. */
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
