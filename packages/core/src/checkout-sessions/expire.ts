import type { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { findUsedKey, settleRefusal } from '../commit/answers/store.ts'
import { parseId } from '../base/ids.ts'
import { chargeInProgress } from '../payment-intents/cancel.ts'
import { noSuchSession } from './queries.ts'
import { sessionNotOpen } from '../payment-intents/refusals.ts'
import { renderSession } from './render.ts'
import { moveSession } from './session.ts'
import { findSession, hasLiveCharge, writeExpiry } from './store.ts'

/** Each try loses to another change of the same session. More than a few in a row is a bug. */
const RACES_MAX = 8

/** Writes no event (spec 6.1). The intent stays payable in other ways. */
export async function expireSession(
  deps: Pick<Deps, 'db' | 'clock'>,
  claim: KeyClaim,
  idText: string,
): Promise<Answer> {
  const { reader, writer } = deps.db
  const nowMs = deps.clock()
  const refuse = (refusal: Refusal) => settleRefusal(deps.db, claim, refusal, nowMs)
  const id = parseId('cs', idText)
  if (id === null) return refuse(noSuchSession())
  for (let races = 0; races < RACES_MAX; races += 1) {
    const { open, found: session } = await findSession(reader, claim.merchantId, id)
    if (!open) throw clientDisabled()
    if (session === undefined) return refuse(noSuchSession())
    if (session.status !== 'open') return refuse(sessionNotOpen())
    const change = moveSession(session, 'expire', nowMs)
    const answer = okAnswer(claim, renderSession(change.after))
    if (await writeExpiry(writer, claim, change, answer, nowMs)) {
      return { ...answer, replayed: false }
    }
    const used = await findUsedKey(reader, claim, nowMs)
    if (used?.kind === 'answered') return used.answer
    if (await hasLiveCharge(reader, session)) return refuse(chargeInProgress())
  }
  throw new Error('a checkout session kept changing')
}
