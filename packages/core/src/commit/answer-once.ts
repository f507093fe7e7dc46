import { Refusal } from '@merchant-payments/contract'
import { findAnswer, settleRefusal } from './answers.ts'
import type { Answer, KeyClaim, NewAnswer } from './key.ts'
import { type Attempt, type ChangedRow, type Committing, untilWritten } from './until-written.ts'

/**
 * `write` writes the change with its answer. It returns null if it wrote nothing, because the key is taken or the
 * row has changed since it was read. A Refusal of an attempt ends its transaction, and is stored under the key.
 */
export async function answerOnce<Found>(
  deps: Committing,
  claim: KeyClaim,
  { read, write, ...row }: Omit<ChangedRow, 'merchantId'> & Attempt<Found, NewAnswer | Answer>,
): Promise<Answer> {
  try {
    return await untilWritten<Found, Answer>(
      deps,
      { ...row, merchantId: claim.merchantId },
      {
        read,
        write: async (session, found, nowMs) => {
          const answer = await write(session, found, nowMs)
          return answer === null ? findAnswer(session.reader, claim, nowMs) : { replayed: false, ...answer }
        },
      },
    )
  } catch (error) {
    if (error instanceof Refusal && error.kind.stored)
      return settleRefusal(deps.db, claim, error, deps.clock())
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
