import { expect, test } from 'vitest'
import { Latencies } from './latencies.ts'
import { planOf } from './plan.ts'

test('planOf: each minute has a restart and a kill, the middle one brings a new key, and there is an upgrade and a failover', () => {
  expect(planOf(3).map(({ atMs, what }) => [atMs / 1_000, what])).toEqual([
    [5, 'rolling restart'],
    [40, 'kill'],
    [45, 'upgrade'],
    [65, 'rotation'],
    [100, 'kill'],
    [125, 'rolling restart'],
    [135, 'failover'],
    [160, 'kill'],
  ])
})

test.each(['upgrade', 'rotation', 'failover'])('planOf: every run has one %s', (once) => {
  for (const minutes of [1, 2, 20]) {
    expect(planOf(minutes).filter(({ what }) => what === once)).toHaveLength(1)
  }
})

test('Latencies: the 99th percentile of a hundred times is the second longest', () => {
  const latencies = new Latencies()
  for (let ms = 100; ms > 0; ms -= 1) latencies.add('create', ms, ms === 7 ? 3 : 1)
  expect(latencies.summary()).toEqual([
    { name: 'create', count: 100, repeated: 1, p50Ms: 50, p99Ms: 99, maxMs: 100 },
  ])
})
