import type { PaymentProgress, PaymentResult } from '../../src/result.ts'
import type { BrowserIntent, BrowserSession } from './types.ts'
import { type Facts, isMoving, isPaid, type Notice, refusalOf } from './facts.ts'

// These pure functions turn each answer into changes of the facts, so tests can try every order of answers.

/** Applies a read of the session. */
export function learnSession(facts: Facts, session: BrowserSession): Partial<Facts> {
  const { payment_intent: intent } = session
  if (isReversal(facts, intent)) return {}
  const change = {
    ...notOverdue(facts, intent),
    ...resolveDoubt(facts, session),
    ...grantWish(facts, intent),
  }
  return { session, trouble: null, ...change }
}

/** A read of the session answers what the payer client could not find out: whether the order arrived. */
function resolveDoubt(
  { confirm, session, refusalBefore, declineSeen }: Facts,
  read: BrowserSession,
): Partial<Facts> {
  if (confirm !== 'unsure') return {}
  const { payment_intent: intent } = read
  const isNews =
    session === null
      ? refusalOf(read) !== refusalBefore
      : JSON.stringify(intent.last_payment_error) !==
        JSON.stringify(session.payment_intent.last_payment_error)
  if (isMoving(intent) || isNews) return { confirm: 'idle', declineSeen: null }
  return { confirm: 'idle', notice: 'not_received', declineSeen: declineSeen ?? 'same_number' }
}

/** A late answer never reverts a success. */
const isReversal = (facts: Facts, { status }: BrowserIntent): boolean =>
  isPaid(facts) && status !== 'succeeded'

/** A charge that has ended, and the next one, are not overdue. */
const notOverdue = ({ session }: Facts, { live_charge: charge }: BrowserIntent): Partial<Facts> =>
  session?.payment_intent.live_charge?.approve_by === charge?.approve_by ? {} : { isOverdue: false }

/** Opens the form for what the payer wanted, once the charge under way has ended without a payment. */
const grantWish = ({ wish }: Facts, intent: BrowserIntent): Partial<Facts> =>
  wish === null || isMoving(intent) || intent.status !== 'requires_payment_method'
    ? {}
    : { wish: null, declineSeen: wish, notice: 'free_again' }

export function learnProgress(facts: Facts, { phase, intent, trouble }: PaymentProgress): Partial<Facts> {
  const isSent = facts.isSent || phase === 'sending'
  const change = {
    ...learnIntent(facts, intent),
    isSent,
    trouble: trouble === null ? null : ('no_answer' as const),
  }
  if (phase === 'waiting')
    return { ...change, confirm: leavingOrIdle(facts), notice: null, declineSeen: null }
  if (facts.confirm === 'idle' || facts.confirm === 'leaving') return change
  return { ...change, confirm: trouble === null ? 'sending' : 'unsure' }
}

export function learnResult(facts: Facts, result: PaymentResult | null): Partial<Facts> {
  if (result === null) return { confirm: 'idle' }
  const change = { ...learnIntent(facts, result.intent), confirm: 'idle' as const }
  switch (result.outcome) {
    case 'succeeded':
    case 'canceled':
      return { ...change, trouble: null }
    case 'failed':
      return { ...change, trouble: null, declineSeen: null, ...grantWish(facts, result.intent) }
    case 'pending':
      return { ...change, trouble: null, isOverdue: true }
    case 'unresolved':
      return { ...change, ...learnNothing(facts, result) }
  }
}

function learnNothing(
  facts: Facts,
  { reason, intent }: PaymentResult & { outcome: 'unresolved' },
): Partial<Facts> {
  if (reason === 'not_found') return { trouble: 'not_found' }
  if (intent !== null && isMoving(intent)) return { isOverdue: true }
  if (reason === 'network' || reason === 'server' || reason === 'protocol') {
    // The order may have arrived, so a new one could be a second request to the payer.
    if (facts.isSent) return { confirm: 'unsure', trouble: 'no_answer' }
    // A payment that was found under way is followed again. This page has sent nothing.
    if (facts.confirm === 'idle') return { trouble: 'no_answer' }
  }
  return {
    notice: noticeOf(reason),
    declineSeen: facts.declineSeen ?? 'same_number',
  }
}

function noticeOf(reason: (PaymentResult & { outcome: 'unresolved' })['reason']): Notice {
  if (reason === 'too_many_attempts') return 'too_many_attempts'
  return reason === 'conflict' ? 'start_again' : 'not_received'
}

/** Applies a refusal of the order by the API; `param` names the refused part. */
export const learnRefusal = (facts: Facts, param: string | undefined): Partial<Facts> => ({
  confirm: 'idle',
  notice: param?.endsWith('[msisdn]') === true ? 'number_refused' : 'order_refused',
  declineSeen: facts.declineSeen ?? 'same_number',
})

function learnIntent(facts: Facts, intent: PaymentResult['intent']): Partial<Facts> {
  const { session } = facts
  if (session === null || intent === null || isReversal(facts, intent)) return {}
  return { session: { ...session, payment_intent: intent }, ...notOverdue(facts, intent) }
}

const leavingOrIdle = ({ confirm }: Facts): Facts['confirm'] => (confirm === 'leaving' ? 'leaving' : 'idle')
