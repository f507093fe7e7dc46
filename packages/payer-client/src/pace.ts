import type { Run } from './run.ts'

/** The delay between two reads: a third of the time waited so far, within these bounds. */
const POLL_MIN_MS = 1_000
const POLL_MAX_MS = 5_000
const POLL_MAX_LATER_MS = 10_000
const LATER_MS = 90_000
const BACKOFF_MAX_MS = 30_000

/** Varies a delay by 20 %, so that phones do not all return at once after an outage. */
const jittered = (delayMs: number, random: () => number) => delayMs * (0.8 + 0.4 * random())

export function pollMs(elapsedMs: number, random: () => number): number {
  const most = elapsedMs < LATER_MS ? POLL_MAX_MS : POLL_MAX_LATER_MS
  return jittered(Math.min(Math.max(elapsedMs / 3, POLL_MIN_MS), most), random)
}

/** @param failures consecutive failures, from 1 */
export const backoffMs = (failures: number, random: () => number): number =>
  jittered(Math.min(POLL_MIN_MS * 2 ** (failures - 1), BACKOFF_MAX_MS), random)

/** Longer than the five minutes that an operator gives the payer. */
const BUDGET_MS = 6 * 60_000
/** Time for the rail's result to reach the service after the payer's time has ended. */
const SETTLE_MS = 60_000
/** Bounds on the service's deadlines, because this device's clock may be wrong. */
const BUDGET_LEAST_MS = 60_000
export const FOLLOW_MOST_MS: number = 30 * 60_000

/**
 * How long to follow a payment: for the time that the service gives the payer and a margin, but never longer than
 * the caller's budget.
 */
export function lookForMs({ budgetMs, approveByMs, clock, elapsedMs, mostMs }: Run): number {
  if (approveByMs === null) return budgetMs ?? BUDGET_MS
  const windowMs = elapsedMs() + approveByMs - clock.now() + SETTLE_MS
  return Math.min(Math.max(windowMs, BUDGET_LEAST_MS), mostMs, budgetMs ?? mostMs)
}

const DURATION_MOST_MS = 24 * 60 * 60_000

/** Validates a duration. A timer with an invalid one fires at once, repeatedly. */
export function checkMs(name: string, ms: number | undefined, least: number): number | undefined {
  if (ms === undefined || (Number.isInteger(ms) && ms >= least && ms <= DURATION_MOST_MS)) return ms
  throw new TypeError(`${name} must be an integer from ${least} to ${DURATION_MOST_MS}`)
}
