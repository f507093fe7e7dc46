import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

describe('the text format', () => {
  test('of counters, by label', async () => {
    const metrics = createMetrics()
    const count = metrics.counter('a_total', 'Things.')
    count()
    count({ kind: 'x', result: 'ok' })
    count({ kind: 'x', result: 'ok' }, 2)
    expect(await metrics.render()).toBe(
      [
        '# HELP a_total Things.',
        '# TYPE a_total counter',
        'a_total 1',
        'a_total{kind="x",result="ok"} 3',
        '',
      ].join('\n'),
    )
  })

  test('of durations: each bucket counts what is as short or shorter', async () => {
    const metrics = createMetrics()
    const observe = metrics.durations('b_seconds', 'Times.')
    for (const seconds of [0.004, 0.005, 0.3, 11]) observe(seconds, { rail: 'r' })
    const lines = (await metrics.render()).split('\n')
    expect(lines.slice(0, 4)).toEqual([
      '# HELP b_seconds Times.',
      '# TYPE b_seconds histogram',
      'b_seconds_bucket{rail="r",le="0.005"} 2',
      'b_seconds_bucket{rail="r",le="0.01"} 2',
    ])
    expect(lines.slice(-6)).toEqual([
      'b_seconds_bucket{rail="r",le="7.5"} 3',
      'b_seconds_bucket{rail="r",le="10"} 3',
      'b_seconds_bucket{rail="r",le="+Inf"} 4',
      'b_seconds_sum{rail="r"} 11.309',
      'b_seconds_count{rail="r"} 4',
      '',
    ])
  })

  test('of gauges, which are asked for when somebody looks', async () => {
    const metrics = createMetrics()
    let asked = 0
    metrics.gauge('c', 'Depth.', async () => {
      asked += 1
      return [{ value: asked }, { labels: { queue: 'q' }, value: 0 }]
    })
    expect(asked).toBe(0)
    expect(await metrics.render()).toBe('# HELP c Depth.\n# TYPE c gauge\nc 1\nc{queue="q"} 0\n')
    expect(asked).toBe(1)
  })

  test('escapes what a label must not hold', async () => {
    const metrics = createMetrics()
    metrics.counter('d_total', 'D.')({ path: 'a"b\\c\nd' })
    expect(await metrics.render()).toContain(String.raw`d_total{path="a\"b\\c\nd"} 1`)
  })
})

test('a label that takes any value fills no memory', async () => {
  const metrics = createMetrics()
  const count = metrics.counter('e_total', 'E.')
  const observe = metrics.durations('f_seconds', 'F.')
  for (let n = 0; n < 3_000; n += 1) {
    count({ n: String(n) })
    observe(n, { n: String(n) })
  }
  const lines = (await metrics.render()).split('\n')
  expect(lines.filter((line) => line.startsWith('e_total'))).toHaveLength(1_000)
  expect(lines.filter((line) => line.startsWith('f_seconds_count'))).toHaveLength(1_000)
})

test('a gauge that cannot be read fails the whole, rather than read as zero', async () => {
  const metrics = createMetrics()
  metrics.gauge('g', 'G.', () => Promise.reject(new Error('the database is away')))
  await expect(metrics.render()).rejects.toThrow('the database is away')
})
