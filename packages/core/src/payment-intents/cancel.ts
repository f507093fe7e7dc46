import { type CancellationReason, Refusal } from '@merchant-payments/contract'
import type { CommandDeps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { findUsedKey, settleRefusal } from '../commit/answers/store.ts'
import { parseId } from '../base/ids.ts'
import { writeTransitions } from './transitions.ts'
import { moveIntent } from './intent.ts'
import { renderPaymentIntent } from './render.ts'
import { findIntent } from './store.ts'

/** Each try loses to another change of the same intent. More than a few in a row is a bug. */
const RACES_MAX = 8

export const noSuchIntent = () => new Refusal('resource_missing', 'No such payment intent.')

/**
 * Spec 3.1: allowed in every state that is not terminal, with or without a live charge. The charge stays watched
 * for a late success.
 */
export async function cancelIntent(
  deps: Pick<CommandDeps, 'db' | 'clock' | 'fault'>,
  claim: KeyClaim,
  idText: string,
  reason: CancellationReason | null,
): Promise<Answer> {
  const nowMs = deps.clock()
  const refuse = (refusal: Refusal) => settleRefusal(deps.db, claim, refusal, nowMs)
  const id = parseId('pi', idText)
  if (id === null) return refuse(noSuchIntent())
  for (let races = 0; races < RACES_MAX; races += 1) {
    const { open, found: intent } = await findIntent(deps.db.reader, claim.merchantId, id)
    if (!open) throw clientDisabled()
    if (intent === undefined) return refuse(noSuchIntent())
    if (intent.status === 'canceled') return refuse(intentCanceled())
    if (intent.status === 'succeeded') return refuse(chargeTerminal())
    const change = moveIntent(intent, 'cancel', { reason }, nowMs)
    const answer = okAnswer(claim, renderPaymentIntent(change.after))
    const key = { kind: 'claim', claim, answer } as const
    const [written] = await writeTransitions(deps.db.writer, [{ intent: change, charge: null, key }], nowMs)
    if (written === true) {
      deps.fault('cancel.committed')
      return { ...answer, replayed: false }
    }
    const used = await findUsedKey(deps.db.reader, claim, nowMs)
    if (used?.kind === 'answered') return used.answer
  }
  throw new Error('a payment intent kept changing')
}

export const intentCanceled = () =>
  new Refusal('intent_canceled', 'This payment intent is canceled. Create a new payment intent.')

// Spec 3.1.1 gives these two messages for a confirm that is retried.
export const chargeTerminal = () =>
  new Refusal(
    'charge_terminal',
    'The charge of this payment intent is terminal. Create a new payment intent.',
  )

export const chargeInProgress = () =>
  new Refusal(
    'charge_in_progress',
    'A charge of this payment intent is being resolved with the rail. Poll the payment intent with GET.',
  )
