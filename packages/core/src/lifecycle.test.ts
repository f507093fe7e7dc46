import { describe, expect, test } from 'vitest'
import { chargeLifecycle } from './charges/lifecycle.ts'
import { deliveryLifecycle } from './deliveries/lifecycle.ts'
import { changesOf, lifecycle } from './base/lifecycle.ts'
import { intentEvent, intentLifecycle } from './payment-intents/lifecycle.ts'

test('the changes of a lifecycle are its moves between different states, each once [§3.1]', () => {
  const table = lifecycle({
    draft: { open: 'open', publish: 'open', touch: 'draft', drop: 'gone' },
    open: { drop: 'gone' },
    gone: {},
  })
  expect(changesOf(table)).toEqual(['draft>gone', 'draft>open', 'open>gone'])
})

/** From each state, the states that it can become, in any number of moves. */
function reachable(table: Record<string, Record<string, string>>, from: string): string[] {
  const seen = new Set<string>()
  const visit = (state: string) => {
    for (const next of Object.values(table[state] ?? {})) {
      if (seen.has(next)) continue
      seen.add(next)
      visit(next)
    }
  }
  visit(from)
  return [...seen].sort()
}

describe('a payment intent', () => {
  test('once paid stays paid, and leaves canceled by a late success alone [§1.5, §3.1]', () => {
    expect(reachable(intentLifecycle, 'succeeded')).toEqual([])
    expect(reachable(intentLifecycle, 'canceled')).toEqual(['succeeded'])
  })

  test('writes an event for every outcome, and none when it begins to be processed [§3.1.4, §6.1]', () => {
    expect(intentEvent).toEqual({
      accept: null,
      succeed: 'payment_intent.succeeded',
      decline: 'payment_intent.payment_failed',
      cancel: 'payment_intent.canceled',
    })
  })
})

describe('a charge', () => {
  test('whose money arrived never changes again', () => {
    expect(reachable(chargeLifecycle, 'succeeded')).toEqual([])
    expect(reachable(chargeLifecycle, 'duplicate')).toEqual([])
  })

  test('that failed or was abandoned can become nothing but paid', () => {
    expect(reachable(chargeLifecycle, 'failed')).toEqual(['duplicate', 'succeeded'])
    expect(reachable(chargeLifecycle, 'abandoned')).toEqual(['duplicate', 'succeeded'])
  })

  test('in any other state can still become paid', () => {
    for (const [state, moves] of Object.entries(chargeLifecycle)) {
      const ended = state === 'succeeded' || state === 'duplicate'
      expect.soft(Object.values(moves).includes('succeeded'), state).toBe(!ended)
    }
  })
})

test('a delivery ends as succeeded or exhausted, and only an operator brings it back [§3.3]', () => {
  expect(changesOf(deliveryLifecycle)).toEqual([
    'exhausted>pending',
    'pending>exhausted',
    'pending>succeeded',
  ])
})
