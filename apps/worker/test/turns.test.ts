import { keepTurn, takeTurn } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { START_MS, useDatabase } from './harness.ts'

const database = useDatabase()

const [one, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

const take = (holder: string, nowMs: number, name = 'rescue') =>
  takeTurn(database.db().writer, { name, holder, nowMs, untilMs: nowMs + 1_000, everyMs: 1_000 })

test('one replica runs a sweep in each interval, whichever asks first [§8]', async () => {
  const first = await Promise.all([take(one, START_MS), take(other, START_MS), take(other, START_MS)])
  expect(first.filter(Boolean)).toHaveLength(1)

  expect(await take(one, START_MS + 999)).toBe(false)
  expect(await take(other, START_MS + 999)).toBe(false)
  expect(await take(other, START_MS + 1_000)).toBe(true)
  expect(await database.query('select name, holder, lease_until from leases')).toEqual([
    { name: 'rescue', holder: other, lease_until: new Date(START_MS + 2_000) },
  ])
})

test('sweeps of different names have separate turns', async () => {
  expect(await take(one, START_MS, 'rescue')).toBe(true)
  expect(await take(one, START_MS, 'keys')).toBe(true)
})

test('a turn taken before the database’s clock was set back lasts no longer than two intervals', async () => {
  const aheadMs = START_MS + 86_400_000
  expect(await take(one, aheadMs, 'partitions')).toBe(true)
  expect(await take(other, START_MS, 'partitions')).toBe(true)
  expect(await take(one, START_MS + 500, 'partitions')).toBe(false)
  expect(await take(one, START_MS + 1_000, 'partitions')).toBe(true)
})

test('a replica that measures the clock a little behind does not take a turn for one of the future', async () => {
  expect(await take(one, START_MS, 'behind')).toBe(true)
  expect(await take(other, START_MS - 500, 'behind')).toBe(false)
})

test('only the holder of a turn extends it, or gives it back', async () => {
  const keep = (holder: string, untilMs: number) =>
    keepTurn(database.db().writer, { name: 'kept', holder, untilMs })
  expect(await take(one, START_MS, 'kept')).toBe(true)
  expect(await keep(other, START_MS)).toBe(false)
  expect(await keep(one, START_MS + 1_500)).toBe(true)
  expect(await take(other, START_MS + 1_000, 'kept')).toBe(false)
  expect(await keep(one, START_MS + 1_000)).toBe(true)
  expect(await take(other, START_MS + 1_000, 'kept')).toBe(true)
  expect(await keep(one, START_MS + 5_000)).toBe(false)
})
