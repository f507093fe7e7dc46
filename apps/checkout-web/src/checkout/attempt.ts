import type { SafeStorage } from '../safe-storage.ts'

export interface Order {
  readonly rail: string
  /** As the payer wrote it: the API alone knows the canonical form (spec 2.2). Null on a rail that asks for none. */
  readonly msisdn: string | null
}

/** The payer's last press of the button, which outlives a reload: a phone short of memory drops the page meanwhile. */
export interface Attempt extends Order {
  readonly startedMs: number
}

export interface AttemptStore {
  readonly load: (intentId: string) => Attempt | null
  readonly save: (intentId: string, attempt: Attempt) => void
  readonly forget: (intentId: string) => void
}

const PREFIX = 'checkout.attempt.'

/** Kept in the tab's own storage, and so gone with the tab. */
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
