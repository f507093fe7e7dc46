import type { Deps } from '../deps.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { getStoredSession } from './queries.ts'
import { chargeInProgress, sessionNotOpen } from '../payment-intents/refusals.ts'
import { renderSession } from './render.ts'
import { moveSession } from './session.ts'
import { hasLiveCharge, writeExpiry } from './store.ts'

/** Writes no event (spec 6.1). The intent stays payable in other ways. */
export async function expireSession(
  deps: Pick<Deps, 'db' | 'clock'>,
  claim: KeyClaim,
  idText: string,
): Promise<Answer> {
  const nowMs = deps.clock()
  const row = { table: 'checkout_sessions', idText } as const
  return answerOnce(deps.db, { claim, nowMs, row }, async (db) => {
    const session = await getStoredSession(db, claim, idText)
    if (session.status !== 'open') throw sessionNotOpen(session.paymentStatus === 'paid')
    const change = moveSession(session, 'expire', nowMs)
    const answer = okAnswer(claim, renderSession(change.after))
    if (await writeExpiry(db.writer, claim, change, answer, nowMs)) return answer
    if (await hasLiveCharge(db.reader, session)) throw chargeInProgress()
    return null
  })
}
