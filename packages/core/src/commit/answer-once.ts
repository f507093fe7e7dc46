import { Refusal } from '@merchant-payments/contract'
import type { Database } from '@merchant-payments/db'
import type { Answer, KeyClaim, NewAnswer } from './key.ts'
import { findUsedKey, settleRefusal } from './answers/store.ts'

/** Each try that fails has met another change of the same resource: so many in a row are a fault. */
const TRIES_MAX = 64

/**
 * Runs a command of one transaction once for its key. `attempt` writes the change together with its answer; null says
 * that it wrote nothing, because the key is taken or the resource has changed since it was read. A Refusal that it throws
 * is stored under the key.
 */
export async function answerOnce(
  db: Pick<Database, 'reader' | 'writer'>,
  claim: KeyClaim,
  nowMs: number,
  attempt: () => Promise<NewAnswer | null>,
): Promise<Answer> {
  try {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const answer = await attempt()
      if (answer !== null) return { ...answer, replayed: false }
      const used = await findUsedKey(db.reader, claim, nowMs)
      if (used?.kind === 'answered') return used.answer
    }
  } catch (error) {
    if (error instanceof Refusal && error.kind.stored) return settleRefusal(db, claim, error, nowMs)
    throw error
  }
  throw new Error('a resource kept changing')
}

/** What a command judges, or the Refusal that it throws. */
export function orRefusal<T>(judge: () => T): T | Refusal {
  try {
    return judge()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
