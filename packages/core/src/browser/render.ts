import type { BrowserIntent, BrowserSession } from '@merchant-payments/contract'
import type { Charge } from '../charges/charge.ts'
import { withSessionId } from '../checkout-sessions/draft.ts'
import { hasEnded } from '../checkout-sessions/lifecycle.ts'
import type { Session } from '../checkout-sessions/session.ts'
import { secondsOf } from '../clock.ts'
import type { Deps } from '../deps.ts'
import type { Merchant } from '../merchants.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { renderPaymentIntent } from '../payment-intents/render.ts'
import type { RailCode, Rails } from '../rails/port.ts'

/** A charge whose outcome is still open. */
export interface LiveCharge {
  readonly rail: RailCode
  readonly openedAtMs: number
}

/** What a payer may see of an intent: no secret, no metadata, no customer, no invoice. */
export function renderBrowserIntent(intent: Intent, live: LiveCharge | null, rails: Rails): BrowserIntent {
  const { customer: _, metadata: __, invoice: ___, ...shown } = renderPaymentIntent(intent)
  return { ...shown, live_charge: live && renderLiveCharge(live, rails) }
}

function renderLiveCharge({ rail, openedAtMs }: LiveCharge, rails: Rails): BrowserIntent['live_charge'] {
  const windowMs = rails.get(rail)?.capabilities.approvalWindowMs ?? 0
  return { payment_method_type: rail, approve_by: secondsOf(openedAtMs + windowMs) }
}

/** The charge of a confirm, if its outcome is open as the confirm answers. */
export function liveChargeOf(charge: Charge | null): LiveCharge | null {
  switch (charge?.status) {
    case 'submitting':
    case 'live':
    case 'unconfirmed':
      return charge
    case 'succeeded':
    case 'duplicate':
    case 'failed':
    case 'abandoned':
    case undefined:
      return null
  }
}

interface Page {
  readonly session: Session
  readonly intent: Intent
  readonly liveCharge: LiveCharge | null
  readonly merchant: Merchant
}

/** The whole of what a payer's page is told; never a secret. */
export function renderBrowserSession(
  { session, intent, liveCharge, merchant }: Page,
  { rails, deployment }: Pick<Deps, 'rails' | 'deployment'>,
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
    merchant: { name: merchant.name },
    payment_intent: renderBrowserIntent(intent, liveCharge, rails),
    rails: intent.paymentMethodTypes.flatMap((code) => renderRail(code, intent, { rails, deployment })),
  }
}

/** A rail that the deployment no longer has, or that cannot settle the intent, is not offered. */
function renderRail(
  code: RailCode,
  { currency }: Intent,
  { rails, deployment }: Pick<Deps, 'rails' | 'deployment'>,
): BrowserSession['rails'] {
  const capabilities = rails.get(code)?.capabilities
  const display = deployment.railDisplays.get(code)
  if (capabilities?.settlementCurrency !== currency || display === undefined) return []
  const { flow, instrument, approvalWindowMs } = capabilities
  const { name, prompt } = display
  return [
    {
      code,
      flow,
      name,
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
