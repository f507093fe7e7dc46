import type { Instrument } from './instrument.ts'
import { type Intent, moveIntent, type PaymentError } from './intent.ts'
import type { Decline, RailCode, SubmitOutcome } from '../rails/port.ts'
import type { Transition } from './transitions.ts'
import { type Charge, moveCharge } from '../charges/charge.ts'
import type { OpenStatus } from '../charges/lifecycle.ts'

export type OpenCharge = Charge<OpenStatus>

type Plan = Pick<Transition, 'intent' | 'charge'>

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
      const moved = moveCharge(charge, 'acknowledge', { railToken, callbackSecret, firstQueryAfterMs }, nowMs)
      return answered({
        charge: moved,
        intent: acceptIntent(
          intent,
          { redirectUrl, returnUrl: redirectUrl === null ? null : returnUrl },
          nowMs,
        ),
      })
    }
    case 'declined':
      return answered(planFailure(charge, intent, outcome.decline, nowMs))
    case 'not_sent':
      return unanswered({ intent, charge: moveCharge(charge, 'abandon', { watched }, nowMs) }, intent)
    case 'unknown':
      return unanswered(
        {
          intent,
          charge: rail.capabilities.lostSubmitIsHarmless
            ? moveCharge(charge, 'abandon', { watched }, nowMs)
            : moveCharge(charge, 'doubt', {}, nowMs),
        },
        intent,
      )
  }
}

const answered = (transition: Plan) => ({ transition, intentAfter: intentOf(transition), answered: true })
const unanswered = (transition: Plan, intentAfter: Intent) => ({ transition, intentAfter, answered: false })
const intentOf = ({ intent }: Plan): Intent => ('after' in intent ? intent.after : intent)

/** A canceled intent stays canceled while its charge is live. */
function acceptIntent(
  intent: Intent,
  facts: { redirectUrl: string | null; returnUrl: string | null },
  nowMs: number,
): Plan['intent'] {
  return intent.status === 'requires_payment_method' ? moveIntent(intent, 'accept', facts, nowMs) : intent
}

/** An intent that still waits gets the refusal. A canceled or succeeded one does not change. */
export function planFailure(charge: OpenCharge, intent: Intent, decline: Decline, nowMs: number): Plan {
  const failed = failCharge(charge, decline, nowMs)
  const waits = intent.status === 'requires_payment_method' || intent.status === 'processing'
  if (!waits) return { intent, charge: failed }
  return {
    charge: failed,
    intent: moveIntent(intent, 'decline', { error: errorOf(decline, charge.rail) }, nowMs),
  }
}

const failCharge = (charge: OpenCharge, decline: Decline, nowMs: number) =>
  moveCharge<OpenStatus, 'fail'>(charge, 'fail', { decline }, nowMs)

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
      charge: moveCharge<SettleableCharge['status'], 'duplicate'>(charge, 'duplicate', { railTxnId }, nowMs),
    }
  }
  return {
    charge: moveCharge<SettleableCharge['status'], 'succeed'>(charge, 'succeed', { railTxnId }, nowMs),
    intent: moveIntent<'requires_payment_method' | 'processing' | 'canceled', 'succeed'>(
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
    charge: moveCharge<'submitting' | 'unconfirmed', 'acknowledge'>(
      charge,
      'acknowledge',
      { firstQueryAfterMs },
      nowMs,
    ),
    intent: acceptIntent(intent, { redirectUrl: null, returnUrl: null }, nowMs),
  }
}
