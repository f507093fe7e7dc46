import type { CancellationReason } from '@merchant-payments/contract'
import type { CommandDeps } from '../deps.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { writeTransitions } from './transitions.ts'
import { moveIntent } from './intent.ts'
import { getStoredIntent } from './queries.ts'
import { intentCanceled, intentPaid } from './refusals.ts'
import { renderPaymentIntent } from './render.ts'

/** Spec 3.1. A live charge stays watched for a late success. */
export async function cancelIntent(
  deps: Pick<CommandDeps, 'db' | 'clock' | 'fault'>,
  claim: KeyClaim,
  idText: string,
  reason: CancellationReason | null,
): Promise<Answer> {
  const answered = await answerOnce(deps, claim, {
    table: 'payment_intents',
    idText,
    read: (db) => getStoredIntent(db, claim, idText),
    write: async ({ writer }, intent, nowMs) => {
      if (intent.status === 'canceled') throw intentCanceled(intent)
      if (intent.status === 'succeeded') throw intentPaid()
      const change = moveIntent(intent, 'cancel', { reason }, nowMs)
      const answer = okAnswer(claim, renderPaymentIntent(change.after))
      const key = { kind: 'claim', claim, answer } as const
      const [written] = await writeTransitions(writer, [{ intent, change, charge: null, key }], nowMs)
      return written === true ? answer : null
    },
  })
  if (!answered.replayed) deps.fault('cancel.committed')
  return answered
}
