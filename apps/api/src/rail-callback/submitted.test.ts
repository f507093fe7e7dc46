import type { CallbackReference, RailAdapter, RailCode, Rails, SubmitCharge } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { rememberSubmitted } from './submitted.ts'

const PUSH = 'push' as RailCode
const OTHER = 'other' as RailCode
const by = (reference: string): CallbackReference => ({ by: 'reference', value: reference })

/** A rail that accepts each charge, with a secret for its callbacks. */
const railsOf = (submit: () => void = () => undefined): Rails => {
  const rail = {
    code: PUSH,
    submitCharge: ({ reference }: SubmitCharge) => {
      submit()
      const secret = `secret-of-${reference}`
      return Promise.resolve({
        kind: 'accepted' as const,
        railToken: null,
        callbackSecret: secret,
        redirectUrl: null,
      })
    },
  }
  return new Map([[PUSH, rail as unknown as RailAdapter]])
}

const submit = (rails: Rails, reference: string) =>
  rails.get(PUSH)?.submitCharge({ reference } as unknown as SubmitCharge)

test('a submitted charge is known by its reference until its first callback', async () => {
  const submitted = rememberSubmitted()
  const rails = submitted.of(railsOf())
  expect(submitted.take(PUSH, by('a'))).toBe(false)
  await submit(rails, 'a')
  expect(submitted.take(OTHER, by('a'))).toBe(false)
  expect(submitted.take(PUSH, by('a'))).toBe(true)
  expect(submitted.take(PUSH, by('a'))).toBe(false)
})

test('a charge is known before its rail answers', async () => {
  const seen: boolean[] = []
  const submitted = rememberSubmitted()
  const rails = submitted.of(railsOf(() => seen.push(submitted.take(PUSH, by('a')))))
  await submit(rails, 'a')
  expect(seen).toEqual([true])
})

test('a charge is known by the secret that its rail gave', async () => {
  const submitted = rememberSubmitted()
  await submit(submitted.of(railsOf()), 'a')
  expect(submitted.take(PUSH, { by: 'callback_secret', value: 'secret-of-a' })).toBe(true)
  expect(submitted.take(PUSH, by('secret-of-a'))).toBe(false)
})

test('only the newest charges are remembered', async () => {
  const submitted = rememberSubmitted(4)
  const rails = submitted.of(railsOf())
  for (const reference of ['a', 'b', 'c']) await submit(rails, reference)
  expect(['a', 'b', 'c'].map((reference) => submitted.take(PUSH, by(reference)))).toEqual([false, true, true])
})
