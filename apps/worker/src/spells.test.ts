import { expect, test } from 'vitest'
import { createSpells } from './spells.ts'

test('a spell lasts over short gaps, and counts from the given instant', () => {
  const spells = createSpells()
  for (const atMs of [1_000, 6_000, 16_000]) spells.note(['slow'], atMs)
  expect([0, 1_000, 4_000, 16_000, 20_000].map((sinceMs) => spells.lastedMs('slow', sinceMs))).toEqual([
    15_000, 15_000, 12_000, 0, 0,
  ])
  expect(spells.lastedMs('quick', 0)).toBe(0)
})

test('after a long gap a new spell begins, so that the time of nobody’s look counts for none', () => {
  const spells = createSpells()
  for (const atMs of [1_000, 6_000, 16_001, 17_000]) spells.note(['slow'], atMs)
  expect(spells.lastedMs('slow', 0)).toBe(999)
})
