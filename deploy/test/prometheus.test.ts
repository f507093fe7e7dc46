import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requireProgram } from '@merchant-payments/testing/program'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { selectorsOf } from './promql.ts'
import { findUnknown, type Scraped, scrapeStack } from './scrape.ts'

const folder = fileURLToPath(new URL('../prometheus/', import.meta.url))
const operations = new URL('../../docs/operations.md', import.meta.url)
/** The installation of a Debian package takes longer than a test may. */
const INSTALL_MS = 300_000

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string
      readonly exp_alerts: readonly object[]
    }[]
  }[]
}

const read = async (file: string): Promise<unknown> => parse(await readFile(`${folder}${file}`, 'utf8'))
const promtool = async (...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('promtool', args, { cwd: folder })
  return stdout
}

let rules: readonly Rule[]
let alerts: readonly Rule[]
beforeAll(async () => {
  requireProgram('promtool', 'prometheus')
  rules = ((await read('rules.yaml')) as RuleFile).groups.flatMap((group) => group.rules)
  alerts = rules.filter(({ alert }) => alert !== undefined)
}, INSTALL_MS)

describe('the rules of Prometheus', () => {
  test('are valid, and so is the configuration that loads them', async () => {
    expect(await promtool('check', 'config', 'prometheus.yaml')).toContain(`SUCCESS: ${rules.length} rules`)
  })

  test('fire and keep silent as their tests say', async () => {
    expect(await promtool('test', 'rules', 'rules.test.yaml')).toContain('SUCCESS')
  })

  test('have for each alert a test in which it fires and one in which it does not', async () => {
    const { tests } = (await read('rules.test.yaml')) as RuleTests
    const checks = tests.flatMap(({ alert_rule_test: some = [] }) => some)
    const untested = (fires: boolean) =>
      alerts.filter(
        ({ alert }) =>
          !checks.some((check) => check.alertname === alert && check.exp_alerts.length > 0 === fires),
      )
    expect({ firing: untested(true), silent: untested(false) }).toEqual({ firing: [], silent: [] })
  })

  test('have for each alert a severity, and a runbook that names it', async () => {
    const sections = sectionsOf(await readFile(operations, 'utf8'))
    const faults = alerts.filter(({ alert, labels, annotations }) => {
      const section = sections.get(annotations?.['runbook']?.replace('docs/operations.md#', '') ?? '') ?? ''
      const parts = ['**Means.**', '**Look at.**', '**Do.**', `\`${alert}\``]
      return (
        !/^(?:page|ticket)$/.test(labels?.['severity'] ?? '') ||
        !parts.every((part) => section.includes(part))
      )
    })
    expect(faults.map(({ alert }) => alert)).toEqual([])
  })
})

describe('the metrics that the rules read', () => {
  let scraped: Scraped
  beforeAll(async () => {
    scraped = await scrapeStack()
  })

  test('are exported by the api or the worker, with the labels and values that the rules name', () => {
    const recorded = new Set([...rules.flatMap(({ record }) => record ?? []), 'up'])
    const selectors = rules
      .flatMap(({ expr }) => selectorsOf(expr))
      .filter(({ metric }) => !recorded.has(metric))
    expect(selectors.length).toBeGreaterThan(rules.length / 2)
    expect(findUnknown(scraped, selectors)).toEqual([])
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

/** The text below each heading, by the anchor that GitHub gives it. */
function sectionsOf(markdown: string): Map<string, string> {
  const parts = markdown.split(/^(?=#{2,} )/m)
  return new Map(
    parts.map((part) => {
      const heading = /^#+ (.*)$/m.exec(part)?.[1] ?? ''
      return [
        heading
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
        part,
      ]
    }),
  )
}
