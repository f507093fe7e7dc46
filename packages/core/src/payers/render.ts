import type { BrowserIntent, BrowserSession } from '@merchant-payments/contract'
import type { Charge } from '../charges/charge.ts'
import { withSessionId } from '../checkout-sessions/draft.ts'
import { hasEnded } from '../checkout-sessions/lifecycle.ts'
import type { Session } from '../checkout-sessions/session.ts'
import { secondsOf } from '../base/clock.ts'
import type { Deps } from '../deps.ts'
import type { Merchant } from '../base/merchants.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { renderPaymentIntent } from '../payment-intents/render.ts'
import type { RailCode, Rails } from '../rails/port.ts'
import { maskedNumber } from '../base/masked-number.ts'

export interface ShownCharges {
  readonly live: {
    readonly rail: RailCode
    readonly openedAtMs: number
    readonly payerMsisdn: string | null
  } | null
  readonly succeeded: {
    readonly rail: RailCode
    readonly settledAtMs: number
    readonly railTxnId: string | null
    readonly payerMsisdn: string | null
  } | null
}

type RenderDeps = Pick<Deps, 'rails' | 'deployment'>

/** Spec 2.4, 4.6. Never contains the intent's secret. */
export function renderBrowserIntent(
  intent: Intent,
  { live, succeeded }: ShownCharges,
  { rails, deployment }: RenderDeps,
): BrowserIntent {
  return {
    ...renderPaymentIntent(intent),
    live_charge: live && {
      payment_method_type: live.rail,
      approve_by: secondsOf(live.openedAtMs + windowMsOf(live.rail, rails)),
      payer_number: maskedNumber(live.payerMsisdn),
    },
    succeeded_charge: succeeded && {
      payment_method_type: succeeded.rail,
      succeeded_at: secondsOf(succeeded.settledAtMs),
      rail_txn_id: succeeded.railTxnId,
      payer_number: maskedNumber(succeeded.payerMsisdn),
      payee_number: maskedNumber(deployment.railDisplays.get(succeeded.rail)?.payeeNumber ?? null),
    },
  }
}

const windowMsOf = (rail: RailCode, rails: Rails): number =>
  rails.get(rail)?.capabilities.approvalWindowMs ?? 0

/** The answer of a confirm is stored, so it has no number of the payer. */
export function chargesOfConfirm(charge: Charge | null): ShownCharges {
  switch (charge?.status) {
    case 'submitting':
    case 'live':
    case 'unconfirmed':
      return { live: { ...charge, payerMsisdn: null }, succeeded: null }
    case 'succeeded': {
      const { settledAtMs } = charge
      return {
        live: null,
        succeeded: settledAtMs === null ? null : { ...charge, settledAtMs, payerMsisdn: null },
      }
    }
    case 'duplicate':
    case 'failed':
    case 'abandoned':
    case undefined:
      return { live: null, succeeded: null }
  }
}

interface Page {
  readonly session: Session
  readonly intent: Intent
  readonly charges: ShownCharges
  readonly merchant: Merchant
}

export function renderBrowserSession(
  { session, intent, charges, merchant }: Page,
  deps: RenderDeps,
  nowMs: number,
): BrowserSession {
  const addressOf = (text: string | null) => (text === null ? null : withSessionId(text, session.id))
  return {
    id: session.id,
    object: 'checkout.session',
    status: session.status === 'open' && hasEnded(session, nowMs) ? 'expired' : session.status,
    payment_status: session.paymentStatus,
    ui_mode: session.uiMode,
    amount: session.amountMinor,
    currency: session.currency,
    livemode: session.livemode,
    locale: session.locale,
    expires_at: secondsOf(session.expiresAtMs),
    success_url: addressOf(session.successUrl),
    cancel_url: addressOf(session.cancelUrl),
    return_url: addressOf(session.returnUrl),
    merchant: {
      name: merchant.name,
      accent_color: merchant.brand?.accentColor ?? null,
      logo: merchant.brand?.logo ?? null,
    },
    payment_intent: renderBrowserIntent(intent, charges, deps),
    rails: intent.paymentMethodTypes.flatMap((code) => renderRail(code, intent, deps)),
  }
}

function renderRail(
  code: RailCode,
  { currency }: Intent,
  { rails, deployment }: RenderDeps,
): BrowserSession['rails'] {
  const capabilities = rails.get(code)?.capabilities
  const display = deployment.railDisplays.get(code)
  if (capabilities?.settlementCurrency !== currency || display === undefined) return []
  const { flow, instrument, approvalWindowMs } = capabilities
  const { name, color, numberPrefixes, prompt } = display
  return [
    {
      code,
      flow,
      name,
      color,
      number_prefixes: [...numberPrefixes],
      instrument: instrument === 'none' ? null : instrument,
      prompt: prompt && {
        mode: prompt.mode,
        window_sec: approvalWindowMs / 1_000,
        dial: prompt.dial,
        payee_name: prompt.payeeName,
        hint: prompt.hint,
      },
    },
  ]
}
