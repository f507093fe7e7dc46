import { beforeAll, describe, expect, test } from 'vitest'
import { dashboards } from '../src/dashboards/index.ts'
import { type Selector, selectorsOf } from './promql.ts'
import { readRules, type Rule } from './rules.ts'
import { findUnknown, type Scraped, scrapeStack } from './scrape.ts'
import { expressionsOf } from './shown.ts'

let scraped: Scraped
let rules: readonly Rule[]
beforeAll(async () => {
  scraped = await scrapeStack()
  rules = await readRules()
})

const shown = () => expressionsOf(Object.values(dashboards)).flatMap(selectorsOf)

/** Those of the processes: neither a recording rule nor Prometheus itself makes them. */
function fromProcesses(selectors: readonly Selector[]): readonly Selector[] {
  const made = new Set([...rules.flatMap(({ record }) => record ?? []), 'up'])
  return selectors.filter(({ metric }) => !made.has(metric))
}

describe('the metrics of an api and a worker', () => {
  test('have every label and value that a rule names', () => {
    const selectors = fromProcesses(rules.flatMap(({ expr }) => selectorsOf(expr)))
    expect(selectors.length).toBeGreaterThan(rules.length / 2)
    expect(findUnknown(scraped, selectors)).toEqual([])
  })

  test('have every label and value that a dashboard names', () => {
    const selectors = fromProcesses(shown())
    expect(selectors.length).toBeGreaterThan(scraped.types.size)
    expect(findUnknown(scraped, selectors)).toEqual([])
  })

  test('are all on a dashboard', () => {
    const names = new Set(shown().map(({ metric }) => metric))
    const suffixes = ['', '_count', '_bucket']
    const hidden = [...scraped.types.keys()].filter(
      (name) => !suffixes.some((suffix) => names.has(`${name}${suffix}`)),
    )
    expect(hidden).toEqual([])
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
