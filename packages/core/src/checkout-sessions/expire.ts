import type { Deps } from '../deps.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { getStoredSession } from './queries.ts'
import { chargeInProgress, sessionNotOpen } from '../payment-intents/refusals.ts'
import { renderSession } from './render.ts'
import { moveSession } from './session.ts'
import { hasLiveCharge, writeExpiry } from './store.ts'

/** Writes no event (spec 6.1). The intent stays payable in other ways. */
export function expireSession(
  deps: Pick<Deps, 'db' | 'clock'>,
  claim: KeyClaim,
  idText: string,
): Promise<Answer> {
  return answerOnce(deps, claim, {
    table: 'checkout_sessions',
    idText,
    read: (db) => getStoredSession(db, claim, idText),
    write: async ({ reader, writer }, session, nowMs) => {
      if (session.status !== 'open') throw sessionNotOpen(session.paymentStatus === 'paid')
      const change = moveSession(session, 'expire', nowMs)
      const answer = okAnswer(claim, renderSession(change.after))
      if (await writeExpiry(writer, claim, change, answer, nowMs)) return answer
      if (await hasLiveCharge(reader, session)) throw chargeInProgress()
      return null
    },
  })
}
