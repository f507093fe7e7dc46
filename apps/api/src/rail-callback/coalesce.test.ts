import type { CallbackReference, RailCode } from '@merchant-payments/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { COALESCE_MS, COALESCED_MAX, coalesce } from './coalesce.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RAIL = 'rail' as RailCode
const referenceOf = (value: string): CallbackReference => ({ by: 'reference', value })

function store() {
  const statements: { value: string; end: () => void }[] = []
  const pull = coalesce((_rail, { value }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    statements.push({ value, end: resolve })
    return promise
  }, Date.now)
  return {
    statements,
    pull,
    call: (value: string) => pull(RAIL, referenceOf(value), (statement) => statement()),
  }
}

test('calls for one reference within the window run one statement, and one more when it ends', async () => {
  const { statements, call } = store()
  const first = call('a')
  await Promise.all([call('a'), call('a')])
  expect(statements).toHaveLength(1)
  statements[0]?.end()
  await first
  await call('a')
  expect(statements).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(COALESCE_MS)
  expect(statements).toHaveLength(2)
  statements[1]?.end()
  await vi.advanceTimersByTimeAsync(10 * COALESCE_MS)
  expect(statements).toHaveLength(2)
})

test('a call without a slot does not coalesce later calls', async () => {
  const { statements, pull } = store()
  const refuse = () => Promise.reject(new Error('no slot'))
  await expect(pull(RAIL, referenceOf('a'), refuse)).rejects.toThrow('no slot')
  void pull(RAIL, referenceOf('a'), (statement) => statement())
  expect(statements).toHaveLength(1)
})

test('calls for other references run their own statements', () => {
  const { statements, call } = store()
  for (const value of ['a', 'b', 'a']) void call(value)
  expect(statements.map(({ value }) => value)).toEqual(['a', 'b'])
})

test('the number of remembered references is bounded, and calls for others still run', () => {
  const { statements, call } = store()
  for (let n = 0; n < COALESCED_MAX; n += 1) void call(String(n))
  void call('beyond')
  void call('beyond')
  expect(statements).toHaveLength(COALESCED_MAX + 2)
})
