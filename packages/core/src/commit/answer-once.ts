import { Refusal } from '@merchant-payments/contract'
import type { Session } from '@merchant-payments/db'
import { findAnswer, settleRefusal } from './answers.ts'
import type { Answer, KeyClaim, NewAnswer } from './key.ts'
import { type ChangedRow, untilWritten } from './until-written.ts'

interface OnceOptions {
  readonly claim: KeyClaim
  readonly nowMs: number
  readonly row: Omit<ChangedRow, 'merchantId'>
}

/**
 * `attempt` writes the change with its answer. It returns null if it wrote nothing, because the key is taken or the
 * row has changed since it was read. A Refusal that it throws ends its transaction, and is stored under the key.
 */
export async function answerOnce(
  db: Session,
  { claim, nowMs, row }: OnceOptions,
  attempt: (db: Session) => Promise<NewAnswer | Answer | null>,
): Promise<Answer> {
  try {
    return await untilWritten<Answer>(db, { ...row, merchantId: claim.merchantId }, async (session) => {
      const answer = await attempt(session)
      return answer === null ? findAnswer(session.reader, claim, nowMs) : { replayed: false, ...answer }
    })
  } catch (error) {
    if (error instanceof Refusal && error.kind.stored) return settleRefusal(db, claim, error, nowMs)
    throw error
  }
}

export function orRefusal<T>(judge: () => T): T | Refusal {
  try {
    return judge()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
