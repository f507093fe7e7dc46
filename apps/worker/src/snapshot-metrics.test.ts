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

test('a session is as old as PostgreSQL says, and the oldest one counts', () => {
  const session = { holder: 'session', xmin: '7' } as const
  const held = [5, 9_000, 70].map((ageMs, n) => ({ ...session, name: String(n), ageMs }))
  expect([...createAges()(held, 1_000)]).toEqual([['session', 9_000]])
})
