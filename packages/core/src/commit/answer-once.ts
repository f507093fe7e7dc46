import { Refusal } from '@merchant-payments/contract'
import type { Session } from '@merchant-payments/db'
import type { Answer, KeyClaim, NewAnswer } from './key.ts'
import { findUsedKey, settleRefusal } from './answers/store.ts'

/** Each failed try has met another change of the same resource. So many in a row are a bug. */
const TRIES_MAX = 64

/**
 * `attempt` writes the change with its answer. It returns null if it wrote nothing, because the key is taken or the
 * resource has changed since it was read. A Refusal that it throws is stored under the key.
 */
export async function answerOnce(
  db: Session,
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

export function orRefusal<T>(judge: () => T): T | Refusal {
  try {
    return judge()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
