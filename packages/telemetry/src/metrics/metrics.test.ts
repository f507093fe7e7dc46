import { describe, expect, test } from 'vitest'
import { createMetrics, type Metrics } from './metrics.ts'

/** Without the metric that all have. */
const render = async (metrics: Metrics) =>
  (await metrics.render()).replace(/^# HELP metric_observations_dropped_total .*\n# TYPE .*\n\n/, '')

describe('render', () => {
  test('shows counters by label', async () => {
    const metrics = createMetrics()
    const count = metrics.counter('a_total', 'Things.', ['kind', 'result'])
    count({ kind: 'x', result: 'ok' })
    count({ kind: 'x', result: 'ok' }, 2)
    count({ kind: 'y', result: '' })
    expect(await render(metrics)).toBe(
      [
        '# HELP a_total Things.',
        '# TYPE a_total counter',
        'a_total{kind="x",result="ok"} 3',
        'a_total{kind="y",result=""} 1',
        '',
      ].join('\n'),
    )
  })

  test('shows a counter without labels from zero on', async () => {
    const metrics = createMetrics()
    const count = metrics.counter('a_total', 'Things.')
    expect(await render(metrics)).toBe('# HELP a_total Things.\n# TYPE a_total counter\na_total 0\n')
    count({}, 2)
    expect(await metrics.render()).toContain('\na_total 2\n')
  })

  test('shows a series of a counter at zero once zero was added', async () => {
    const metrics = createMetrics()
    metrics.counter('a_total', 'Things.', ['kind'])({ kind: 'x' }, 0)
    expect(await metrics.render()).toContain('\na_total{kind="x"} 0\n')
  })

  test('counts a duration in buckets of its own', async () => {
    const metrics = createMetrics()
    const observe = metrics.durations('b_seconds', 'Times.', [], [60, 600])
    observe(61, {})
    const lines = (await metrics.render()).split('\n')
    expect(lines.filter((line) => line.startsWith('b_seconds_bucket'))).toEqual([
      'b_seconds_bucket{le="60"} 0',
      'b_seconds_bucket{le="600"} 1',
      'b_seconds_bucket{le="+Inf"} 1',
    ])
  })

  test('counts a duration in each bucket that is as long or longer', async () => {
    const metrics = createMetrics()
    const observe = metrics.durations('b_seconds', 'Times.', ['rail'])
    for (const seconds of [0.004, 0.005, 0.3, 11]) observe(seconds, { rail: 'r' })
    const lines = (await render(metrics)).split('\n')
    expect(lines.slice(0, 4)).toEqual([
      '# HELP b_seconds Times.',
      '# TYPE b_seconds histogram',
      'b_seconds_bucket{le="0.005",rail="r"} 2',
      'b_seconds_bucket{le="0.01",rail="r"} 2',
    ])
    expect(lines.slice(-6)).toEqual([
      'b_seconds_bucket{le="7.5",rail="r"} 3',
      'b_seconds_bucket{le="10",rail="r"} 3',
      'b_seconds_bucket{le="+Inf",rail="r"} 4',
      'b_seconds_sum{rail="r"} 11.309',
      'b_seconds_count{rail="r"} 4',
      '',
    ])
  })

  test('reads gauges, and only when it renders', async () => {
    const metrics = createMetrics()
    let reads = 0
    metrics.gauge('c', 'Depth.', ['queue'], async () => {
      reads += 1
      return [
        { labels: { queue: 'q' }, value: reads },
        { labels: { queue: 'r' }, value: 0 },
      ]
    })
    expect(reads).toBe(0)
    const head = '# HELP c Depth.\n# TYPE c gauge\n'
    expect(await render(metrics)).toBe(`${head}c{queue="q"} 1\nc{queue="r"} 0\n`)
    expect(reads).toBe(1)
  })

  test('drops samples of a gauge that are no longer reported', async () => {
    const metrics = createMetrics()
    let queues = ['q', 'r']
    metrics.gauge('c', 'Depth.', ['queue'], () => queues.map((queue) => ({ labels: { queue }, value: 1 })))
    await metrics.render()
    queues = ['r']
    expect(await render(metrics)).toBe('# HELP c Depth.\n# TYPE c gauge\nc{queue="r"} 1\n')
  })

  test('escapes quotes, backslashes and newlines in labels', async () => {
    const metrics = createMetrics()
    metrics.counter('d_total', 'D.', ['path'])({ path: 'a"b\\c\nd' })
    expect(await metrics.render()).toContain(String.raw`d_total{path="a\"b\\c\nd"} 1`)
  })

  test('rejects when a gauge fails', async () => {
    const metrics = createMetrics()
    metrics.gauge('g', 'G.', [], () => Promise.reject(new Error('the database is away')))
    await expect(metrics.render()).rejects.toThrow('the database is away')
  })
})

test('a label with unbounded values creates a bounded number of series, and what is left out is counted', async () => {
  const metrics = createMetrics()
  const count = metrics.counter('e_total', 'E.', ['n'])
  const observe = metrics.durations('f_seconds', 'F.', ['n'])
  for (let n = 0; n < 6_000; n += 1) {
    count({ n: String(n) })
    observe(n, { n: String(n) })
  }
  count({ n: '0' })
  const lines = (await metrics.render()).split('\n')
  expect(lines.filter((line) => line.startsWith('e_total'))).toHaveLength(5_000)
  expect(lines.filter((line) => line.startsWith('f_seconds_count'))).toHaveLength(5_000)
  expect(lines).toContain('e_total{n="0"} 2')
  expect(lines).toContain('metric_observations_dropped_total{metric="e_total"} 1000')
  expect(lines).toContain('metric_observations_dropped_total{metric="f_seconds"} 1000')
})

test('an undeclared label is ignored, and fails no request', async () => {
  const metrics = createMetrics()
  const labels = { kind: 'x', id: 'pi_1' }
  metrics.counter('h_total', 'H.', ['kind'])(labels)
  metrics.durations('i_seconds', 'I.', ['kind'])(1, labels)
  const text = await metrics.render()
  expect(text).toContain('h_total{kind="x"} 1')
  expect(text).toContain('i_seconds_count{kind="x"} 1')
  expect(text).not.toContain('pi_1')
})
