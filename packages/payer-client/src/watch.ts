import { startElapsed } from './elapsed.ts'
import { checkMs } from './pace.ts'
import type { PaymentDeps } from './run.ts'
import { wait } from './wait.ts'
import type { BrowserIntent } from './wire.ts'
import { isAborted, type Signal } from './world.ts'

/**
 * How to watch after a decline.
 *
 * @example
 * ```ts
 * const options: WatchOptions = { signal: controller.signal, forMs: 10 * 60_000 }
 * ```
 */
export interface WatchOptions {
  /** Stops watching. */
  readonly signal?: Signal | undefined
  /** The interval of reads in milliseconds, at least 1 000. Default: 30 000. */
  readonly everyMs?: number | undefined
  /** The duration in milliseconds, up to a day. Default: 20 minutes. */
  readonly forMs?: number | undefined
}

const EVERY_MS = 30_000
const EVERY_LEAST_MS = 1_000
/** Operators have reported "failed" and taken the money up to a quarter of an hour later. */
const FOR_MS = 20 * 60_000

/** Yields each change of the intent until it has succeeded, the time is over, or the consumer stops. */
export function watchIntent(deps: PaymentDeps, options: WatchOptions): AsyncIterable<BrowserIntent> {
  const everyMs = checkMs('everyMs', options.everyMs, EVERY_LEAST_MS) ?? EVERY_MS
  const forMs = checkMs('forMs', options.forMs, 0) ?? FOR_MS
  return changes(deps, everyMs, forMs, startElapsed(deps.clock), options.signal)
}

async function* changes(
  deps: PaymentDeps,
  everyMs: number,
  forMs: number,
  elapsedMs: () => number,
  signal: Signal | undefined,
): AsyncGenerator<BrowserIntent, void, undefined> {
  let last: string | undefined
  while (elapsedMs() < forMs) {
    await wait({ ...deps, signal }, everyMs, forMs - elapsedMs())
    if (isAborted(signal)) return
    const look = await deps.reads.intent({ signal })
    if (isAborted(signal)) return
    if ('trouble' in look) {
      if (look.trouble === 'not_found') return
      continue
    }
    const { found: intent } = look
    const now = [intent.status, intent.live_charge !== null, JSON.stringify(intent.last_payment_error)].join()
    if (now !== last) yield intent
    last = now
    if (intent.status === 'succeeded') return
  }
}
