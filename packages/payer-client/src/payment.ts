import { decide } from './decide.ts'
import { startElapsed } from './elapsed.ts'
import { encodeOrder, type PaymentOrder } from './order.ts'
import { backoffMs, checkMs, FOLLOW_MOST_MS, lookForMs } from './pace.ts'
import type { PaymentResult } from './result.ts'
import {
  type FollowOptions,
  type PaymentDeps,
  type Run,
  SEND_WITHIN_MS,
  STALE_READS_MAX,
  tell,
  unresolved,
} from './run.ts'
import { wait } from './wait.ts'
import { isAborted } from './world.ts'

/**
 * Reads until the intent has an outcome, and sends the order while nothing is under way. Only reads decide,
 * because a confirm's answer may be a replay of an old one (spec 4.6). Without an order it only reads, and
 * returns null if nothing is under way.
 */
export function followPayment(
  deps: PaymentDeps,
  order: PaymentOrder,
  options: FollowOptions,
): Promise<PaymentResult>
export function followPayment(
  deps: PaymentDeps,
  order: null,
  options: FollowOptions,
): Promise<PaymentResult | null>
export async function followPayment(
  deps: PaymentDeps,
  order: PaymentOrder | null,
  options: FollowOptions,
): Promise<PaymentResult | null> {
  const run = startRun(deps, order, options)
  tell(run, 'checking')
  for (;;) {
    const next = await look(run)
    if (typeof next !== 'number') return next
    if (next === 0) continue
    const leftMs = followForMs(run) - run.elapsedMs()
    if (leftMs <= 0) return spent(run)
    await wait(run, next, leftMs)
    if (isAborted(run.signal)) return unresolved(run, 'aborted')
  }
}

function startRun(deps: PaymentDeps, order: PaymentOrder | null, options: FollowOptions): Run {
  const budgetMs = checkMs('budgetMs', options.budgetMs, 0)
  const elapsedMs = startElapsed(deps.clock)
  return {
    ...deps,
    ...options,
    order,
    body: order === null ? '' : encodeOrder(order),
    elapsedMs,
    leftMs: () => (budgetMs ?? Number.POSITIVE_INFINITY) - elapsedMs(),
    intent: null,
    attempt: null,
    approveByMs: null,
    skewMs: Number.NEGATIVE_INFINITY,
    mostMs: FOLLOW_MOST_MS,
    trouble: null,
    sendTrouble: 'network',
    refusedFor: 'conflict',
    sawCharge: false,
    isRedirected: false,
    failures: 0,
    missing: 0,
    idleReads: 0,
    tries: 0,
  }
}

/** A timer may end a little before the device's clock says so. */
const TIMER_EARLY_MS = 100
/** A timer that ends so much later belongs to a page that slept. */
const SLEPT_MS = 1_000

/** The budget, but a page that slept beyond it reads once more, and a budget of zero is one read. */
function readForMs({ budgetMs, leftMs }: Run): number {
  const ms = leftMs()
  return budgetMs === 0 || ms < -SLEPT_MS ? Number.POSITIVE_INFINITY : ms
}

/** Reads once. Returns the result, or the delay before the next read. */
async function look(run: Run): Promise<PaymentResult | null | number> {
  const { signal } = run
  const seen = await run.reads.intent({ signal, leftMs: () => readForMs(run) })
  if (isAborted(signal)) return unresolved(run, 'aborted')
  if ('found' in seen) {
    const { found: intent, skewMs } = seen
    // A device's clock that was set forward has not waited so long.
    run.mostMs += Math.max(0, run.skewMs - skewMs)
    run.skewMs = skewMs
    if (intent.live_charge !== null) run.approveByMs = intent.live_charge.approve_by * 1_000 - skewMs
    run.intent = intent
    run.trouble = null
    run.failures = run.missing = 0
    return decide(run, intent)
  }
  // The budget has cut this read off, or left no time for it. What the read before found is still the answer.
  if (run.leftMs() < TIMER_EARLY_MS) return spent(run)
  const { trouble } = seen
  run.failures += 1
  run.missing = trouble === 'not_found' ? run.missing + 1 : 0
  if (run.missing === STALE_READS_MAX) return unresolved(run, 'not_found')
  run.trouble = trouble === 'not_found' ? 'server' : trouble
  tell(run, run.sawCharge ? 'waiting' : 'checking')
  return backoffMs(run.failures, run.random)
}

/**
 * A sent order may have arrived, so it is followed for the whole time. An order that was not sent is given up
 * soon.
 */
function followForMs(run: Run): number {
  const { sawCharge, attempt, order } = run
  const forMs = lookForMs(run)
  const isUnderWay = sawCharge || attempt !== null || order === null
  return isUnderWay ? forMs : Math.min(forMs, SEND_WITHIN_MS)
}

/** Spec 4.6: a budget that ends while the charge moves is no error. One that ends without a read is `unresolved`. */
function spent(run: Run): PaymentResult {
  const { trouble, intent } = run
  if (trouble === null && intent !== null) return { outcome: 'pending', intent }
  return unresolved(run, trouble ?? run.sendTrouble)
}
