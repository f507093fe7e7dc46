import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { settleAnswer } from '../commit/answers.ts'
import { sameMetadata, mergeMetadata, type Metadata } from '../base/metadata.ts'
import { getStoredRefund } from './queries.ts'
import { moveRefund, type Refund, type RefundChange } from './refund.ts'
import { renderRefund } from './render.ts'
import { writeRefund } from './transitions.ts'

type ChangeDeps = Pick<Deps, 'db' | 'clock'>

/** Spec 4.2: metadata only. An update that changes nothing writes no event. */
export const updateRefund = (
  deps: ChangeDeps,
  claim: KeyClaim,
  idText: string,
  metadata: Metadata | null | undefined,
): Promise<Answer> =>
  changeRefund(deps, claim, idText, (refund, nowMs) => {
    const after = mergeMetadata(refund.metadata, metadata)
    if (sameMetadata(refund.metadata, after)) return null
    return moveRefund<Refund['status'], 'update'>(refund, 'update', { metadata: after }, nowMs)
  })

/** Spec 3.5: refuses every refund that create produces, because its rail has been instructed. */
export const cancelRefund = (deps: ChangeDeps, claim: KeyClaim, idText: string): Promise<Answer> =>
  changeRefund(deps, claim, idText, (refund, nowMs) => {
    if (refund.status === 'requires_action') return moveRefund(refund, 'cancel', {}, nowMs)
    throw new Refusal('refund_not_cancelable', 'This refund can no longer be canceled.')
  })

/** `plan` throws a Refusal if the change is not allowed, and returns null if nothing changes. */
function changeRefund(
  deps: ChangeDeps,
  claim: KeyClaim,
  idText: string,
  plan: (refund: Refund, nowMs: number) => RefundChange | null,
): Promise<Answer> {
  return answerOnce(deps, claim, {
    table: 'refunds',
    idText,
    read: (db) => getStoredRefund(db, claim, idText),
    write: async (session, refund, nowMs) => {
      const change = plan(refund, nowMs)
      const answer = okAnswer(claim, renderRefund(change?.after ?? refund))
      if (change === null) return settleAnswer(session, claim, answer, nowMs)
      const key = { kind: 'claim', claim, answer } as const
      const written = await writeRefund(session.writer, change, key, { job: { kind: 'keep' } }, nowMs)
      return written ? answer : null
    },
  })
}
