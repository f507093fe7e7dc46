import { logFields, logLines } from '@merchant-payments/telemetry'
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboards } from '../src/dashboards/index.ts'
import { type Selector, selectorsOf } from './promql.ts'
import { readRules, type Rule } from './rules.ts'
import { type Exported, findUnknown, runStack, type Scraped, storedByPrometheus3 } from './scrape.ts'
import { expressionsOf } from './shown.ts'

let scraped: Exported
let rules: readonly Rule[]
beforeAll(async () => {
  scraped = await runStack()
  rules = await readRules()
})

const shown = () => expressionsOf(Object.values(dashboards)).flatMap(selectorsOf)

/** Those of the processes: neither a recording rule nor Prometheus itself makes them. */
function fromProcesses(selectors: readonly Selector[]): readonly Selector[] {
  const made = new Set([...rules.flatMap(({ record }) => record ?? []), 'up'])
  return selectors.filter(({ metric }) => !made.has(metric))
}

const spellings: readonly (readonly [string, (scraped: Scraped) => Scraped])[] = [
  ['as Prometheus 2 stores them', (scraped) => scraped],
  ['as Prometheus 3 stores them', storedByPrometheus3],
]

describe.each(spellings)('the metrics of an api and a worker, %s,', (_spelling, store) => {
  test('have every label and value that a rule names', () => {
    const selectors = fromProcesses(rules.flatMap(({ expr }) => selectorsOf(expr)))
    expect(selectors.length).toBeGreaterThan(rules.length / 2)
    expect(findUnknown(store(scraped), selectors)).toEqual([])
  })

  test('have every label and value that a dashboard names', () => {
    const selectors = fromProcesses(shown())
    expect(selectors.length).toBeGreaterThan(scraped.types.size)
    expect(findUnknown(store(scraped), selectors)).toEqual([])
  })
})

describe('the metrics of an api and a worker', () => {
  test('are all on a dashboard', () => {
    const names = new Set(shown().map(({ metric }) => metric))
    const suffixes = ['', '_count', '_bucket']
    const hidden = [...scraped.types.keys()].filter(
      (name) => !suffixes.some((suffix) => names.has(`${name}${suffix}`)),
    )
    expect(hidden).toEqual([])
  })

  test('have their whole bounds and quantiles in two spellings', () => {
    const bare = selectorsOf(
      'webhook_first_attempt_delay_seconds_bucket{le="10"} + webhook_first_attempt_delay_seconds_bucket{le="0.5"}',
    )
    expect(findUnknown(scraped, bare)).toEqual([])
    expect(findUnknown(storedByPrometheus3(scraped), bare)).toEqual([
      'webhook_first_attempt_delay_seconds_bucket{le="10"}',
    ])
    const types = new Map([
      ['a_summary', 'summary'],
      ['a_gauge', 'gauge'],
    ])
    const series = [...types.keys()].map((name) => ({ name, labels: { quantile: '1' } }))
    expect(storedByPrometheus3({ types, series }).series).toEqual([
      { name: 'a_summary', labels: { quantile: '1.0' } },
      { name: 'a_gauge', labels: { quantile: '1' } },
    ])
  })

  test('are found missing if they are renamed', () => {
    const selectors = selectorsOf(
      'requests_gone + queue_waiting{queue="gone"} + queue_waiting{gone="x"} + queue_waiting{queue=~"deliveries|gone"}',
    )
    expect(findUnknown(scraped, selectors)).toEqual([
      'requests_gone',
      'queue_waiting{queue="gone"}',
      'queue_waiting{gone}',
    ])
  })
})

describe('the log lines of an api and a worker', () => {
  const said = () => scraped.lines.map((line) => JSON.parse(line) as Record<string, unknown>)

  test('are those of the table, with its levels, fields and types', () => {
    expect(said().flatMap(faultsOf)).toEqual([])
    const messages = ['ready', 'request', 'rail instructed', 'webhook attempt', 'stopping', 'stopped']
    expect([...new Set(said().map(({ msg }) => msg))]).toEqual(expect.arrayContaining(messages))
  })

  test('are found to differ from it', () => {
    const [line] = said().filter(({ msg }) => msg === 'request')
    expect(faultsOf({ ...line, msg: 'gone' })).toEqual(['there is no line "gone"'])
    expect(faultsOf({ ...line, app: 'worker', level: 'warn', status: '200', body: '{}' })).toEqual([
      'request: app worker',
      'request: level warn',
      'request: status is no number',
      'request: field body',
    ])
  })
})

const isLine = (msg: unknown): msg is keyof typeof logLines => typeof msg === 'string' && msg in logLines

/** How a line differs from the table. */
function faultsOf({ msg, app, level, time, ...facts }: Record<string, unknown>): string[] {
  if (!isLine(msg)) return [`there is no line "${String(msg)}"`]
  const { apps, levels, fields }: Line = logLines[msg]
  return [
    ...(apps.includes(String(app)) ? [] : [`${msg}: app ${String(app)}`]),
    ...(levels.includes(String(level)) ? [] : [`${msg}: level ${String(level)}`]),
    ...(typeof time === 'number' ? [] : [`${msg}: time`]),
    ...Object.entries(facts).flatMap(([field, value]) => {
      if (!fields.includes(field)) return [`${msg}: field ${field}`]
      const type = logFields[field as keyof typeof logFields]
      return isOfType[type](value) ? [] : [`${msg}: ${field} is no ${type}`]
    }),
  ]
}

type Line = Readonly<Record<'apps' | 'levels' | 'fields', readonly string[]>>

const isOfType: Readonly<Record<(typeof logFields)[keyof typeof logFields], (value: unknown) => boolean>> = {
  text: (value) => value === null || typeof value === 'string',
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  number: (value) => value === null || typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  error: (value) => typeof value === 'object',
  listener: (value) => typeof value === 'object' || typeof value === 'string',
}
