import type { SessionStatus, WrittenEventType } from '@merchant-payments/contract'
import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** complete: its intent was paid in time. expire: by the merchant. lapse: its time is over, and the sweep says so. */
export const sessionLifecycle = lifecycle({
  open: { complete: 'complete', expire: 'expired', lapse: 'expired' },
  complete: {},
  expired: {},
})

export type SessionLifecycle = typeof sessionLifecycle
type SessionMove = AnyMove<SessionLifecycle>

/** Spec 6.1: the sweep alone tells of a session; a completed one is told of by its intent. */
export const sessionEvent = {
  complete: null,
  expire: null,
  lapse: 'checkout.session.expired',
} as const satisfies Record<SessionMove, WrittenEventType | null>

/** The end is `expires_at`, swept or not: from then on nothing is confirmed through the session. */
export const hasEnded = (
  { status, expiresAtMs }: { readonly status: SessionStatus; readonly expiresAtMs: number },
  nowMs: number,
): boolean => status !== 'open' || expiresAtMs <= nowMs
