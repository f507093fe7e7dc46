import { Refusal } from '@merchant-payments/contract'

/*
 * Spec 8 leaves limits of rates to the ingress, which cannot tell one payment's link from another. These bound what one
 * payment can cost: prompts on handsets, look-ups of numbers by the rail's refusals, and rows. docs/spec-gaps.md.
 */

/** Charges of an intent that its payers may open. A link that is passed around leaves the merchant the rest. */
export const PAYER_CHARGES_MAX = 10

/** Charges of an intent, by whomever, but for those that certainly never reached their rail. */
export const CHARGES_MAX = 25

/** All charges of an intent: constraint `charges_attempt_bounded`. A rail that is away for hours spends these. */
export const OPENINGS_OF_INTENT_MAX = 100

/** Idempotency-Keys of an intent that its payers may leave behind within the 24 hours that a key is kept. */
export const PAYER_KEYS_MAX = 50

/** The limit of charges for keys of a scope: a payer's scope begins with its surface. */
export const chargesMaxOf = (scope: string): number => (isOfPayer(scope) ? PAYER_CHARGES_MAX : CHARGES_MAX)

export const isOfPayer = (scope: string): boolean => scope.startsWith('browser:')

export const tooManyAttempts = () =>
  new Refusal(
    'too_many_attempts',
    'This payment intent has had all the attempts that it gets. Create a new payment intent.',
  )
