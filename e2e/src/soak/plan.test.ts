import { expect, test } from 'vitest'
import { Latencies } from './latencies.ts'
import { planOf } from './plan.ts'

const without = { failover: false }

test('planOf: each minute has a restart and a kill, and the middle one brings a new key', () => {
  expect(planOf(3, without).map(({ atMs, what }) => [atMs / 1_000, what])).toEqual([
    [5, 'rolling restart'],
    [40, 'kill'],
    [65, 'rotation'],
    [100, 'kill'],
    [125, 'rolling restart'],
    [160, 'kill'],
  ])
})

test('planOf: every run rotates the key once', () => {
  for (const minutes of [1, 2, 20]) {
    expect(planOf(minutes, without).filter(({ what }) => what === 'rotation')).toHaveLength(1)
  }
})

test('planOf: a failover comes at three quarters of a run that can do one', () => {
  const failovers = planOf(20, { failover: true }).filter(({ what }) => what === 'failover')
  expect(failovers).toEqual([{ atMs: 900_000, what: 'failover' }])
})

test('Latencies: the 99th percentile of a hundred times is the second longest', () => {
  const latencies = new Latencies()
  for (let ms = 100; ms > 0; ms -= 1) latencies.add('create', ms, ms === 7 ? 3 : 1)
  expect(latencies.summary()).toEqual([
    { name: 'create', count: 100, repeated: 1, p50Ms: 50, p99Ms: 99, maxMs: 100 },
  ])
})
