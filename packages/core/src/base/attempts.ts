/*
 * Spec 8 leaves rate limits to the ingress, which cannot tell payment links apart. These limits bound what one
 * payment can cost: prompts on handsets, numbers probed through a rail's refusals, and rows (docs/spec-gaps.md).
 */

/**
 * Maximum charges that payers may open on one intent. The other attempts stay with the merchant, because a payment
 * link may be passed around.
 */
export const PAYER_CHARGES_MAX = 10

/** Maximum charges of one intent by all callers. Charges that provably never reached the rail do not count. */
export const CHARGES_MAX = 25

/** All charges of an intent (constraint `charges_attempt_bounded`). A rail that is down for hours uses these up. */
export const OPENINGS_OF_INTENT_MAX = 100

/** Idempotency keys that the payers of an intent may leave within 24 hours, the life of a key. */
export const PAYER_KEYS_MAX = 50

export const chargesMaxOf = (scope: string): number => (isOfPayer(scope) ? PAYER_CHARGES_MAX : CHARGES_MAX)

export const isOfPayer = (scope: string): boolean => scope.startsWith('browser:')

export interface Attempts {
  /** Those that may still take money. */
  readonly live: number
  /** Those that may have reached their rail. */
  readonly reached: number
  readonly opened: number
}

export const areSpent = ({ reached, opened }: Attempts, chargesMax: number): boolean =>
  reached >= chargesMax || opened >= OPENINGS_OF_INTENT_MAX
