import { deriveSecret } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import { ATTEMPT_MS, type SignInAttempt, signInAttemptsOf } from './sign-in-attempt.ts'

const NOW_MS = 1_800_000_000_000
const keyOf = (version: number) => ({ version, key: `key ${version} of the deployment, of 32 bytes` })
const attempts = signInAttemptsOf([keyOf(1)])
const begin = (from = attempts) => from.begin('/dash/payments?status=processing', NOW_MS)
const take = ({ cookie, state }: SignInAttempt, from = attempts, nowMs = NOW_MS) =>
  from.take(cookie, state, nowMs)

describe('an attempt', () => {
  test('is taken once, as it began', () => {
    const begun = begin()
    expect(take(begun, attempts, NOW_MS + ATTEMPT_MS)).toEqual(begun)
    expect(take(begun)).toBeNull()
  })

  test('can be taken again after it was given back', () => {
    const begun = begin()
    take(begun)
    attempts.giveBack(begun)
    expect(take(begun)).toEqual(begun)
  })

  test('has the form that a replica of the release before reads', () => {
    expect(begin().cookie).toMatch(/^\d{1,15}\.[\w-]{43}\.[\w-]+$/)
  })

  test.each<[string, (begun: SignInAttempt) => string | null]>([
    ['without a cookie', () => null],
    ['of another time', ({ cookie }) => cookie.replace(/^\d+/, String(NOW_MS - 1))],
    ['of another random part', ({ cookie }) => cookie.replace(/\..{22}/, `.${'A'.repeat(22)}`)],
    ['with another tag', ({ cookie }) => cookie.replace(/.{21}\.(?=[^.]+$)/, `${'A'.repeat(21)}.`)],
    ['to another page', ({ cookie }) => cookie.replace(/[^.]+$/, 'L2Rhc2gv')],
    ['without a page', ({ cookie }) => cookie.replace(/[^.]+$/, '')],
    ['with more behind it', ({ cookie }) => `${cookie}.A`],
    ['that is empty', () => ''],
  ])('%s is refused, also under the state of its own cookie', (_, alter) => {
    const begun = begin()
    const cookie = alter(begun)
    expect(cookie).not.toBe(begun.cookie)
    // The state of an altered cookie is what its maker would send.
    const ownState = cookie === null ? null : deriveSecret(cookie, 'state')
    for (const state of [begun.state, ownState]) expect(attempts.take(cookie, state, NOW_MS)).toBeNull()
    expect(take(begun)).toEqual(begun)
  })

  test('under another state, or without one, is refused and not taken', () => {
    const begun = begin()
    for (const state of [null, '', begin().state]) {
      expect(attempts.take(begun.cookie, state, NOW_MS)).toBeNull()
    }
    expect(take(begun)).toEqual(begun)
  })

  test('is refused before it began, and after its time', () => {
    expect(take(begin(), attempts, NOW_MS - 1)).toBeNull()
    expect(take(begin(), attempts, NOW_MS + ATTEMPT_MS + 1)).toBeNull()
  })

  test('is taken while its key is configured', () => {
    const begun = begin()
    expect(take(begun, signInAttemptsOf([keyOf(2), keyOf(1)]))).toEqual(begun)
    expect(take(begun, signInAttemptsOf([keyOf(2)]))).toBeNull()
  })

  test('is forgotten only for newer ones', () => {
    const small = signInAttemptsOf([keyOf(1)], 2)
    const [first, second, third] = [begin(small), begin(small), begin(small)]
    for (const begun of [first, second]) expect(take(begun, small)).toEqual(begun)
    for (const begun of [first, second]) expect(take(begun, small)).toBeNull()
    expect(take(third, small)).toEqual(third)
    expect(take(second, small)).toBeNull()
  })
})
