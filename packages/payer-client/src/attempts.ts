import type { SafeStorage } from './storage.ts'
import type { BrowserIntent } from './wire.ts'

/**
 * - `new`: never sent.
 * - `sent`: may have arrived; only its own key may be sent until that is known.
 * - `told`: like `sent`, and its decline was reported to the caller.
 * - `accepted`: answered 200.
 * - `refused`: answered 409.
 * - `spent`: its key can open no charge any more.
 */
const states = ['new', 'sent', 'told', 'accepted', 'refused', 'spent'] as const
export type AttemptState = (typeof states)[number]

/** One press of the button. Every repetition uses its Idempotency-Key. */
export interface Attempt {
  readonly key: string
  /** The mark of the intent's error when the attempt began. An error with another mark is new. */
  readonly errorBefore: string
  readonly beganMs: number
  state: AttemptState
}

/** Spec 8: the service forgets a key after 24 hours. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1_000

/**
 * What an attempt remembers of an error. The rail's own code and message stay out, because they can contain the
 * payer's number, and the storage outlives the page.
 */
export const errorMark = ({ last_payment_error: error }: BrowserIntent): string =>
  error === null ? '' : `${error.code} ${error.payment_method_type}`

/** The one attempt of an intent, in memory and in the storage. */
export interface Attempts {
  find(intentId: string): Promise<Attempt | null>
  begin(intent: BrowserIntent): Attempt
  move(intentId: string, attempt: Attempt, state: AttemptState): Promise<void>
  /** Has no effect once another attempt has begun, so that a slow call cannot remove that one. */
  end(intentId: string, attempt: Attempt): Promise<void>
}

interface Deps {
  readonly storage: SafeStorage
  readonly now: () => number
  readonly mintKey: () => string
}

export function createAttempts({ storage, now, mintKey }: Deps): Attempts {
  let current: Attempt | null = null
  let loading: Promise<void> | undefined
  const nameOf = (intentId: string) => `merchant-payments.attempt.${intentId}`

  const load = async (intentId: string) => {
    const stored = parseAttempt(await storage.get(nameOf(intentId)))
    // NaN compares false, so an attempt without a time is dropped too.
    if (stored !== null && now() - stored.beganMs < KEY_LIFE_MS) current ??= stored
  }

  return {
    async find(intentId) {
      await (loading ??= load(intentId))
      return current
    },
    begin(intent) {
      current = { key: mintKey(), errorBefore: errorMark(intent), beganMs: now(), state: 'new' }
      return current
    },
    async move(intentId, attempt, state) {
      attempt.state = state
      if (attempt === current) await storage.set(nameOf(intentId), JSON.stringify(attempt))
    },
    async end(intentId, attempt) {
      if (attempt !== current) return
      current = null
      await storage.remove(nameOf(intentId))
    },
  }
}

function parseAttempt(text: string | null): Attempt | null {
  try {
    const stored = JSON.parse(text ?? 'null') as Attempt | null
    return typeof stored?.key === 'string' && states.includes(stored.state) ? stored : null
  } catch {
    return null
  }
}
