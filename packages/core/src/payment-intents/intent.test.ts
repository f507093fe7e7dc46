import { intentStatuses } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { ACME, makeIntent, refusal, T0 } from '../../test/make.ts'
import { createdOf, mintId } from '../base/ids.ts'
import { type Intent, moveIntent } from './intent.ts'
import { type IntentMove, intentLifecycle } from './lifecycle.ts'
import { renderPaymentIntent } from './render.ts'

const nowMs = T0 + 90_500
const redirected = { redirectUrl: 'https://rail.example/p/1', returnUrl: 'https://shop.example/back' }

const facts = {
  accept: redirected,
  succeed: {},
  decline: { error: refusal },
  cancel: { reason: 'duplicate' },
} as const
const moves = Object.keys(facts) as IntentMove[]

/** The fields that each move sets, besides the state. */
const changes: Record<IntentMove, Partial<Intent>> = {
  accept: redirected,
  succeed: {
    redirectUrl: null,
    returnUrl: null,
    lastPaymentError: null,
    canceledAtMs: null,
    cancellationReason: null,
  },
  decline: { redirectUrl: null, returnUrl: null, lastPaymentError: refusal },
  cancel: { redirectUrl: null, returnUrl: null, canceledAtMs: nowMs, cancellationReason: 'duplicate' },
}

const events = {
  accept: null,
  succeed: 'payment_intent.succeeded',
  decline: 'payment_intent.payment_failed',
  cancel: 'payment_intent.canceled',
} as const

const pairs = intentStatuses.flatMap((status) => moves.map((move) => [status, move] as const))
const targetOf = (status: (typeof intentStatuses)[number], move: IntentMove) =>
  (intentLifecycle[status] as Partial<Record<IntentMove, Intent['status']>>)[move]

// The pairs come from tables, so the compiler cannot know which are legal. The tests check that.
const move = (intent: Intent, name: IntentMove) =>
  moveIntent(intent as Intent<'requires_payment_method'>, name, facts[name] as never, nowMs)

describe('a legal move', () => {
  test.each(pairs.filter(([status, name]) => targetOf(status, name) !== undefined))(
    'of an intent that is %s: %s changes it whole, once, and writes its event beside it',
    (status, name) => {
      const dressed = { customerId: mintId('cus', T0), lastPaymentError: refusal, ...redirected }
      const before: Intent = makeIntent(status, dressed)
      const copy = structuredClone(before)

      const change = move(before, name)

      const after = { ...before, ...changes[name], status: targetOf(status, name), revision: 4 }
      expect({ before: change.before, after: change.after }).toEqual({ before: copy, after })
      expect(change.event?.type ?? null).toBe(events[name])
    },
  )

  test('snapshots the intent as the change leaves it, without its secret [§2.4]', () => {
    const customerId = mintId('cus', T0)
    const before = makeIntent('processing', { customerId, livemode: true })

    const { after, event } = moveIntent(before, 'succeed', {}, nowMs)

    expect(event?.customerId).toBe(customerId)
    expect(JSON.parse(event?.body ?? '')).toEqual({
      id: event?.id,
      object: 'event',
      type: 'payment_intent.succeeded',
      created: event && createdOf(event.id),
      livemode: true,
      data: { object: { ...renderPaymentIntent(after), status: 'succeeded' } },
    })
    expect(event?.body).not.toContain('secret')
    expect(after.merchantId).toBe(ACME)
    expect(createdOf(after.id)).toBe(T0 / 1000)
  })
})

test.each(pairs.filter(([status, name]) => targetOf(status, name) === undefined))(
  'an intent that is %s cannot %s',
  (status, name) => {
    expect(() => move(makeIntent(status), name)).toThrow(`an intent that is ${status} cannot ${name}`)
  },
)
