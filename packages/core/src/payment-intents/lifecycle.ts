import type { WrittenEventType } from '@merchant-payments/contract'
import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** Spec 3.1, with the choices of docs/spec-gaps.md: only a late success ends canceled. */
export const intentLifecycle = lifecycle({
  requires_payment_method: {
    accept: 'processing',
    succeed: 'succeeded',
    decline: 'requires_payment_method',
    cancel: 'canceled',
  },
  processing: { succeed: 'succeeded', decline: 'requires_payment_method', cancel: 'canceled' },
  canceled: { succeed: 'succeeded' },
  succeeded: {},
})

export type IntentLifecycle = typeof intentLifecycle
export type IntentMove = AnyMove<IntentLifecycle>

/** Spec 3.1.4. */
export const intentEvent = {
  accept: null,
  succeed: 'payment_intent.succeeded',
  decline: 'payment_intent.payment_failed',
  cancel: 'payment_intent.canceled',
} as const satisfies Record<IntentMove, WrittenEventType | null>
