import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/**
 * unconfirmed: the rail may or may not have the charge. duplicate: a second success of one intent. abandoned:
 * provably never reached the rail. Only a late success ends failed and abandoned (spec 1.5).
 */
export const chargeLifecycle = lifecycle({
  submitting: {
    acknowledge: 'live',
    doubt: 'unconfirmed',
    abandon: 'abandoned',
    fail: 'failed',
    succeed: 'succeeded',
    duplicate: 'duplicate',
  },
  unconfirmed: { acknowledge: 'live', fail: 'failed', succeed: 'succeeded', duplicate: 'duplicate' },
  live: { fail: 'failed', succeed: 'succeeded', duplicate: 'duplicate' },
  failed: { succeed: 'succeeded', duplicate: 'duplicate' },
  abandoned: { succeed: 'succeeded', duplicate: 'duplicate' },
  succeeded: {},
  duplicate: {},
})

export const openStatuses = ['submitting', 'live', 'unconfirmed'] as const
export type OpenStatus = (typeof openStatuses)[number]

export type ChargeLifecycle = typeof chargeLifecycle
export type ChargeMove = AnyMove<ChargeLifecycle>
