import type { SessionStatus, WrittenEventType } from '@merchant-payments/contract'
import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** expire: by the merchant. lapse: by the sweep, after the session's time. */
export const sessionLifecycle = lifecycle({
  open: { complete: 'complete', expire: 'expired', lapse: 'expired' },
  complete: {},
  expired: {},
})

export type SessionLifecycle = typeof sessionLifecycle
type SessionMove = AnyMove<SessionLifecycle>

/** Spec 6.1. A completed session is reported by its intent's event. */
export const sessionEvent = {
  complete: null,
  expire: null,
  lapse: 'checkout.session.expired',
} as const satisfies Record<SessionMove, WrittenEventType | null>

/** A session ends at `expires_at`, swept or not. From then on nothing is confirmed through it. */
export const hasEnded = (
  { status, expiresAtMs }: { readonly status: SessionStatus; readonly expiresAtMs: number },
  nowMs: number,
): boolean => status !== 'open' || expiresAtMs <= nowMs
