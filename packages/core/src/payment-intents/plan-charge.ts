import type { Instrument } from './instrument.ts'
import { type Intent, type IntentChange, moveIntent, type PaymentError } from './intent.ts'
import type { Decline, RailCode, SubmitOutcome } from '../rails/port.ts'
import type { Transition } from './transition.ts'
import { type Charge, type ChargeChange, moveCharge } from '../charges/charge.ts'
import type { OpenStatus } from '../charges/lifecycle.ts'

export type OpenCharge = Charge<OpenStatus>

type Plan = Pick<Transition, 'intent' | 'change' | 'charge'>

/** The table of docs/spec-gaps.md. Pure. */
export function planAnswer(
  charge: Charge<'submitting'>,
  intent: Intent,
  outcome: SubmitOutcome,
  { rail, returnUrl }: Instrument,
  nowMs: number,
): { transition: Plan; intentAfter: Intent; answered: boolean } {
  // If a redirect rail's page was never handed out, there is nothing to query.
  const watched = rail.capabilities.flow === 'push'
  switch (outcome.kind) {
    case 'accepted': {
      const { railToken, callbackSecret, redirectUrl } = outcome
      const { firstQueryAfterMs } = rail.capabilities
      const shown = { redirectUrl, returnUrl: redirectUrl === null ? null : returnUrl }
      return answered({
        intent,
        change: acceptIntent(intent, shown, nowMs),
        charge: moveCharge(charge, 'acknowledge', { railToken, callbackSecret, firstQueryAfterMs }, nowMs),
      })
    }
    case 'declined':
      return answered(planFailure(charge, intent, outcome.decline, nowMs))
    case 'not_sent':
      return unanswered(intent, moveCharge(charge, 'abandon', { watched }, nowMs))
    case 'unknown':
      return unanswered(
        intent,
        rail.capabilities.lostSubmitIsHarmless
          ? moveCharge(charge, 'abandon', { watched }, nowMs)
          : moveCharge(charge, 'doubt', {}, nowMs),
      )
  }
}

const answered = (transition: Plan) => ({
  transition,
  intentAfter: transition.change?.after ?? transition.intent,
  answered: true,
})

const unanswered = (intent: Intent, charge: ChargeChange) => ({
  transition: { intent, change: null, charge },
  intentAfter: intent,
  answered: false,
})

/** A canceled intent stays canceled while its charge is live. */
function acceptIntent(
  intent: Intent,
  facts: { redirectUrl: string | null; returnUrl: string | null },
  nowMs: number,
): IntentChange | null {
  return intent.status === 'requires_payment_method' ? moveIntent(intent, 'accept', facts, nowMs) : null
}

/** An intent that still waits gets the refusal. A canceled or succeeded one does not change. */
export function planFailure(charge: OpenCharge, intent: Intent, decline: Decline, nowMs: number): Plan {
  const waits = intent.status === 'requires_payment_method' || intent.status === 'processing'
  return {
    intent,
    change: waits ? moveIntent(intent, 'decline', { error: errorOf(decline, charge.rail) }, nowMs) : null,
    charge: moveCharge<OpenStatus, 'fail'>(charge, 'fail', { decline }, nowMs),
  }
}

const errorOf = (decline: Decline, rail: RailCode): PaymentError => ({
  code: decline.code,
  declineCode: decline.railCode,
  message: decline.railMessage,
  rail,
})

/** A charge that a success can still reach, however late (spec 1.5). */
export type SettleableCharge = Charge<OpenStatus | 'failed' | 'abandoned'>

/** A success beside another is a duplicate, which staff return. Otherwise the intent is paid. */
export function planSuccess(
  charge: SettleableCharge,
  intent: Intent,
  railTxnId: string | null,
  nowMs: number,
): Plan {
  if (intent.status === 'succeeded') {
    return {
      intent,
      change: null,
      charge: moveCharge<SettleableCharge['status'], 'duplicate'>(charge, 'duplicate', { railTxnId }, nowMs),
    }
  }
  return {
    intent,
    charge: moveCharge<SettleableCharge['status'], 'succeed'>(charge, 'succeed', { railTxnId }, nowMs),
    change: moveIntent<'requires_payment_method' | 'processing' | 'canceled', 'succeed'>(
      intent,
      'succeed',
      {},
      nowMs,
    ),
  }
}

export function planAcknowledged(
  charge: Charge<'submitting' | 'unconfirmed'>,
  intent: Intent,
  firstQueryAfterMs: number,
  nowMs: number,
): Plan {
  return {
    intent,
    charge: moveCharge<'submitting' | 'unconfirmed', 'acknowledge'>(
      charge,
      'acknowledge',
      { firstQueryAfterMs },
      nowMs,
    ),
    change: acceptIntent(intent, { redirectUrl: null, returnUrl: null }, nowMs),
  }
}
