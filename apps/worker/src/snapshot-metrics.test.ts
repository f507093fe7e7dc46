import { expect, test } from 'vitest'
import { createAges } from './snapshot-metrics.ts'

const slot = { holder: 'slot', ageMs: null } as const

test('a slot is as old as the time for which it has kept the same rows', () => {
  const agesOf = createAges()
  const [a, b] = [
    { ...slot, name: 'a', xmin: '7' },
    { ...slot, name: 'b', xmin: '7' },
  ]
  expect([...agesOf([a], 1_000)]).toEqual([['slot', 0]])
  expect([...agesOf([a, b], 4_000)]).toEqual([['slot', 3_000]])
  expect([...agesOf([{ ...a, xmin: '8' }, b], 9_000)]).toEqual([['slot', 5_000]])
  expect([...agesOf([], 10_000)]).toEqual([])
  expect([...agesOf([b], 11_000)]).toEqual([['slot', 0]])
})

const session = { holder: 'session', name: '5', xmin: '7' } as const

test('a session is as old as PostgreSQL says when it is first seen, and the oldest one counts', () => {
  const held = [5, 9_000, 70].map((ageMs, n) => ({ ...session, name: String(n), ageMs }))
  expect([...createAges()(held, 1_000)]).toEqual([['session', 9_000]])
})

test('a session whose statements change is as old as the snapshot that they share', () => {
  const agesOf = createAges()
  expect([...agesOf([{ ...session, ageMs: 20 }], 1_000)]).toEqual([['session', 20]])
  expect([...agesOf([{ ...session, ageMs: 30 }], 5_000)]).toEqual([['session', 4_020]])
  expect([...agesOf([{ ...session, xmin: '8', ageMs: 10 }], 9_000)]).toEqual([['session', 10]])
})

test('what keeps nothing does not grow old', () => {
  const agesOf = createAges()
  const idle = [
    { ...slot, name: 'a', xmin: null },
    { ...session, xmin: null, ageMs: 60_000 },
  ]
  expect([...agesOf(idle, 1_000)]).toEqual([])
  expect([...agesOf(idle, 9_000)]).toEqual([])
  expect([...agesOf([{ ...slot, name: 'a', xmin: '7' }], 10_000)]).toEqual([['slot', 0]])
})
