import { type Clock, MINUTE_MS } from '@merchant-payments/core'

/** How often charges are claimed while payers decide: a rail's callback makes a charge due, and nothing announces it. */
const DECIDING_EVERY_MS = 20
/** The worker keeps claiming quickly for this long after the last payer who decides. */
const DECIDING_LINGERS_MS = MINUTE_MS

interface Rests {
  /** While nobody pays: the pass is rung if a charge is due. */
  readonly unrungMs: number
  /** The longest while payers decide. */
  readonly pollIntervalMs: number
}

/** How long the settle pass rests between two claims. */
export function createSettlePace(clock: Clock, { unrungMs, pollIntervalMs }: Rests) {
  let decidingUntilMs = Number.NEGATIVE_INFINITY
  let lastClaimed = 0
  return {
    expectDecisions: (): void => {
      decidingUntilMs = clock() + DECIDING_LINGERS_MS
    },
    noteClaimed: (charges: number): void => {
      lastClaimed = charges
    },
    /**
     * Time until the next claim. It is longer after a claim of many charges, so that more of the next ones share a
     * statement.
     */
    everyMs: (): number => {
      if (clock() >= decidingUntilMs) return unrungMs
      return Math.min(
        DECIDING_EVERY_MS * Math.max(lastClaimed, 1),
        Math.max(pollIntervalMs, DECIDING_EVERY_MS),
      )
    },
  }
}
