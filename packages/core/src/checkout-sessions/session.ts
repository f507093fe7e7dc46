import type { Currency, PaymentStatus, SessionStatus, UiMode } from '@merchant-payments/contract'
import { type NewEvent, newEvent } from '../commit/event.ts'
import type { CheckoutSessionId, CustomerId, MerchantId, PaymentIntentId } from '../base/ids.ts'
import { type MoveFrom, type Target, targetOf } from '../base/lifecycle.ts'
import type { Locale, RailCode } from '../rails/port.ts'
import { sessionEvent, type SessionLifecycle, sessionLifecycle } from './lifecycle.ts'
import { renderSession } from './render.ts'

export interface SessionFields {
  readonly merchantId: MerchantId
  readonly id: CheckoutSessionId
  readonly intentId: PaymentIntentId
  readonly paymentStatus: PaymentStatus
  readonly amountMinor: number
  readonly currency: Currency
  readonly paymentMethodTypes: readonly RailCode[]
  readonly customerId: CustomerId | null
  /** From before secrets were derived, without the publishable key. Null if it is derived. */
  readonly storedSecret: string | null
  readonly uiMode: UiMode
  readonly successUrl: string | null
  readonly cancelUrl: string | null
  readonly returnUrl: string | null
  readonly clientReferenceId: string | null
  readonly locale: Locale | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly expiresAtMs: number
  readonly revision: number
}

export type Session<S extends SessionStatus = SessionStatus> = S extends unknown
  ? SessionFields & { readonly status: S }
  : never

export interface SessionChange<S extends SessionStatus = SessionStatus> {
  readonly before: Session
  readonly after: Session<S>
  readonly event: NewEvent | null
}

/** Only the transition writer completes a session, with its intent's settlement. */
export function moveSession<S extends SessionStatus, M extends MoveFrom<SessionLifecycle, S>>(
  before: Session<S>,
  move: Exclude<M, 'complete'>,
  nowMs: number,
): SessionChange<Target<SessionLifecycle, S, M> & SessionStatus> {
  const status = targetOf(sessionLifecycle, before.status, move, 'a session')
  const after = { ...before, status, revision: before.revision + 1 } as Session
  const type = sessionEvent[move as keyof typeof sessionEvent]
  const facts = { livemode: after.livemode, customerId: after.customerId, nowMs }
  return {
    before,
    after: after as Session<Target<SessionLifecycle, S, M> & SessionStatus>,
    event: type === null ? null : newEvent(type, renderSession(after), facts),
  }
}
