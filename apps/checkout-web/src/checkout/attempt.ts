import type { SafeStorage } from '../safe-storage.ts'

export interface Order {
  readonly rail: string
  /** The number as typed, since only the API knows the canonical form (spec 2.2). Null on a rail without a number. */
  readonly msisdn: string | null
}

/** The payer's last press of the button. It survives a reload, because a phone short of memory drops the page. */
export interface Attempt extends Order {
  readonly startedMs: number
}

export interface AttemptStore {
  readonly load: (intentId: string) => Attempt | null
  readonly save: (intentId: string, attempt: Attempt) => void
  readonly forget: (intentId: string) => void
}

const PREFIX = 'checkout.attempt.'

export const attemptStore = (tab: SafeStorage): AttemptStore => ({
  load: (intentId) => parseAttempt(tab.get(PREFIX + intentId)),
  save: (intentId, attempt) => tab.set(PREFIX + intentId, JSON.stringify(attempt)),
  forget: (intentId) => tab.remove(PREFIX + intentId),
})

function parseAttempt(text: string | null): Attempt | null {
  if (text === null) return null
  try {
    return JSON.parse(text) as Attempt
  } catch {
    return null
  }
}
