import type { SafeStorage } from './safe-storage.ts'

export interface Order {
  readonly rail: string
  /** The number as typed, since only the API knows the canonical form (spec 2.2). Null on a rail without a number. */
  readonly msisdn: string | null
}

/** What a payer wants to do after a charge: pay with another number, or on another rail. */
export type Wish = 'other_number' | 'other_way'

/**
 * The payer's last press of the button. It survives a reload, because a phone short of memory drops the page. Its
 * number does not once the API has it: the API shows it masked.
 */
export interface Attempt extends Order {
  /** By the API's clock. */
  readonly startedMs: number
  /** What the payer wants to do after this attempt. */
  readonly wish?: Wish | null
}

export interface AttemptStore {
  readonly load: (intentId: string) => Attempt | null
  /** Keeps all but the number. */
  readonly save: (intentId: string, attempt: Attempt) => void
  readonly forget: (intentId: string) => void
  /** The number as typed, until the API has it. */
  readonly loadNumber: (intentId: string) => string
  readonly saveNumber: (intentId: string, number: string) => void
  readonly forgetNumber: (intentId: string) => void
  /**
   * The refusal that the page knew when it sent an order that may be under way, as a code or empty. Null if this tab knows
   * of no such order. Kept by the session, for a page that cannot read it.
   */
  readonly out: () => string | null
  readonly markOut: (refusal: string) => void
  readonly forgetOut: () => void
}

const PREFIX = 'checkout.attempt.'
const NUMBER_PREFIX = 'checkout.number.'
const OUT_PREFIX = 'checkout.out.'

export const attemptStore = (tab: SafeStorage, sessionId: string): AttemptStore => ({
  load: (intentId) => parseAttempt(tab.get(PREFIX + intentId)),
  save: (intentId, attempt) => tab.set(PREFIX + intentId, JSON.stringify({ ...attempt, msisdn: null })),
  forget: (intentId) => {
    tab.remove(PREFIX + intentId)
    tab.remove(NUMBER_PREFIX + intentId)
  },
  loadNumber: (intentId) => tab.get(NUMBER_PREFIX + intentId) ?? '',
  forgetNumber: (intentId) => tab.remove(NUMBER_PREFIX + intentId),
  saveNumber: (intentId, number) => tab.set(NUMBER_PREFIX + intentId, number),
  out: () => tab.get(OUT_PREFIX + sessionId),
  markOut: (refusal) => tab.set(OUT_PREFIX + sessionId, refusal),
  forgetOut: () => tab.remove(OUT_PREFIX + sessionId),
})

function parseAttempt(text: string | null): Attempt | null {
  if (text === null) return null
  try {
    return JSON.parse(text) as Attempt
  } catch {
    return null
  }
}
