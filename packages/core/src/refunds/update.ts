import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { orRefusal } from '../commit/answer-once.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { findUsedKey, settleAnswer, settleRefusal } from '../commit/answers/store.ts'
import { parseId } from '../base/ids.ts'
import { sameMetadata, mergeMetadata, type Metadata } from '../base/metadata.ts'
import { noSuchRefund } from './queries.ts'
import { moveRefund, type Refund, type RefundChange } from './refund.ts'
import { renderRefund } from './render.ts'
import { findRefund } from './store.ts'
import { writeRefund } from './transitions.ts'

type ChangeDeps = Pick<Deps, 'db' | 'clock'>

/** Each try loses to another change of the same refund. More than these in a row are a bug. */
const RACES_MAX = 16

/** Spec 4.2: metadata only. An update that changes nothing writes only its answer, and no event. */
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
async function changeRefund(
  { db, clock }: ChangeDeps,
  claim: KeyClaim,
  idText: string,
  plan: (refund: Refund, nowMs: number) => RefundChange | null,
): Promise<Answer> {
  const nowMs = clock()
  const id = parseId('re', idText)
  if (id === null) return settleRefusal(db, claim, noSuchRefund(), nowMs)
  for (let races = 0; races < RACES_MAX; races += 1) {
    const { open, found } = await findRefund(db.reader, claim.merchantId, id)
    if (!open) throw clientDisabled()
    if (found === undefined) return settleRefusal(db, claim, noSuchRefund(), nowMs)
    const change = orRefusal(() => plan(found, nowMs))
    if (change instanceof Refusal) return settleRefusal(db, claim, change, nowMs)
    const answer = okAnswer(claim, renderRefund(change?.after ?? found))
    if (change === null) return settleAnswer(db, claim, answer, nowMs)
    const written = await writeRefund(
      db.writer,
      change,
      { kind: 'claim', claim, answer },
      { job: { kind: 'keep' } },
      nowMs,
    )
    if (written) return { ...answer, replayed: false }
    const used = await findUsedKey(db.reader, claim, nowMs)
    if (used?.kind === 'answered') return used.answer
  }
  throw new Error('a refund kept changing')
}
