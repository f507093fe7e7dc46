import { Refusal } from '@merchant-payments/contract'
import { secondsOf } from '../base/clock.ts'
import type { Deployment } from '../deps.ts'
import type { KeyClaim } from '../commit/key.ts'
import { type CheckoutSessionId, mintId } from '../base/ids.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { noWebAddress, parseWebAddress } from '../base/web-address.ts'
import type { CreateSession } from './create.ts'
import type { Session } from './session.ts'

/** docs/spec-gaps.md, expires_at. */
const LIFE_SEC_MIN = 30 * 60
const LIFE_SEC_MAX = 24 * 60 * 60
/** A merchant computes the instant by a clock of its own, before the request is on its way. */
const LIFE_LEEWAY_SEC = 30

export type Draft = Omit<
  Session<'open'>,
  'intentId' | 'amountMinor' | 'currency' | 'paymentMethodTypes' | 'customerId'
>

export function draftSession(
  { livemode }: Pick<Deployment, 'livemode'>,
  { merchantId }: KeyClaim,
  wanted: CreateSession,
  nowMs: number,
): Draft | Refusal {
  const id = mintId('cs', nowMs)
  const expiresAtSec = wanted.expiresAtSec ?? secondsOf(nowMs) + LIFE_SEC_MAX
  const refusal = addressFault(wanted, id, livemode) ?? lifeFault(expiresAtSec - secondsOf(nowMs))
  if (refusal !== null) return refusal
  const { uiMode, successUrl, cancelUrl, returnUrl, clientReferenceId, locale, metadata } = wanted
  return {
    merchantId,
    id,
    status: 'open',
    paymentStatus: 'unpaid',
    storedSecret: null,
    uiMode,
    successUrl,
    cancelUrl,
    returnUrl,
    clientReferenceId,
    locale,
    metadata,
    livemode,
    expiresAtMs: expiresAtSec * 1_000,
    revision: 0,
  }
}

export const sessionFor = (draft: Draft, intent: Intent): Session<'open'> => ({
  ...draft,
  intentId: intent.id,
  amountMinor: intent.amountMinor,
  currency: intent.currency,
  paymentMethodTypes: intent.paymentMethodTypes,
  customerId: intent.customerId,
})

/** Stands for the session's id in an address, as in the compatible API. */
const ID_PLACEHOLDER = '{CHECKOUT_SESSION_ID}'

export const withSessionId = (address: string, id: CheckoutSessionId): string =>
  address.replaceAll(ID_PLACEHOLDER, id)

function addressFault(wanted: CreateSession, id: CheckoutSessionId, livemode: boolean): Refusal | null {
  const { successUrl, cancelUrl, returnUrl, uiMode } = wanted
  if (successUrl === null && uiMode === 'hosted')
    return invalid('is required on a hosted page', 'success_url')
  const addresses = { success_url: successUrl, cancel_url: cancelUrl, return_url: returnUrl }
  for (const [param, text] of Object.entries(addresses)) {
    if (text === null || parseWebAddress(withSessionId(text, id), livemode) !== null) continue
    return noWebAddress(param)
  }
  return null
}

function lifeFault(lifeSec: number): Refusal | null {
  if (lifeSec >= LIFE_SEC_MIN - LIFE_LEEWAY_SEC && lifeSec <= LIFE_SEC_MAX + LIFE_LEEWAY_SEC) return null
  return invalid('must be 30 minutes to 24 hours ahead', 'expires_at')
}

const invalid = (message: string, param: string) => new Refusal('invalid_request', message, { param })
