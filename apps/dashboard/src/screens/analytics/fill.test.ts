import { expect, test } from 'vitest'
import { boundsOf, filled } from './fill.ts'

const HOUR_SEC = 3_600
/** 2026-11-21, 00:00 UTC. */
const DAY = 1_795_219_200

const pointAt = (at: number) => ({
  at,
  opened: 3,
  succeeded: 2,
  failed: 1,
  duplicate: 0,
  waiting: 0,
  amount: 5_000,
  p50_ms: 20_000,
  p95_ms: 40_000,
})

test('an hour without a charge is a point of no money and without a rate, not a line between its neighbours', () => {
  const points = [pointAt(DAY), pointAt(DAY + 3 * HOUR_SEC)]
  const all = filled({ points, size: 'hour', from: DAY, until: DAY + 5 * HOUR_SEC }, 'utc')
  expect(all.map(({ at, amount, p50_ms: ms }) => [(at - DAY) / HOUR_SEC, amount, ms])).toEqual([
    [0, 5_000, 20_000],
    [1, 0, null],
    [2, 0, null],
    [3, 5_000, 20_000],
  ])
})

test('the bucket under way, and one that the worker may not have counted yet, are not said to be empty', () => {
  const times = (untilSec: number) =>
    filled({ points: [], size: '5m', from: DAY, until: DAY + untilSec }, 'utc').map(({ at }) => at - DAY)
  expect(times(299)).toEqual([])
  expect(times(419)).toEqual([])
  expect(times(420)).toEqual([0])
})

test('days begin when they begin in the zone, and a point before the first whole day stays', () => {
  const first = pointAt(DAY - HOUR_SEC)
  const all = filled({ points: [first], size: 'day', from: DAY, until: DAY + 3 * 86_400 }, 'douala')
  expect(all.map(({ at }) => (at - DAY) / HOUR_SEC)).toEqual([-1, 23, 47])
})

test('a point leads to exactly what it counts, also at the ends of a time', () => {
  const time = { from: DAY + 10 * HOUR_SEC, until: DAY + 36 * HOUR_SEC + 1 }
  const hoursOf = (size: 'day' | 'hour', at: number) =>
    boundsOf({ size, ...time }, at).map((sec) => (sec - DAY) / HOUR_SEC)
  expect(hoursOf('day', DAY)).toEqual([10, 24])
  expect(hoursOf('day', DAY + 24 * HOUR_SEC)).toEqual([24, 37])
  expect(hoursOf('hour', DAY + 12 * HOUR_SEC)).toEqual([12, 13])
})
