import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { requireProgram } from '@merchant-payments/testing/program'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { dashboards } from '../src/dashboards/index.ts'
import { INSTALL_MS, readRules, type Rule, rulesFolder } from './rules.ts'
import { expressionsOf } from './shown.ts'

const operations = new URL('../../docs/operations.md', import.meta.url)

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string
      readonly exp_alerts: readonly object[]
    }[]
  }[]
}

const promtool = async (...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('promtool', args, { cwd: rulesFolder })
  return stdout
}

let rules: readonly Rule[]
let alerts: readonly Rule[]
beforeAll(async () => {
  requireProgram('promtool', 'prometheus')
  rules = await readRules()
  alerts = rules.filter(({ alert }) => alert !== undefined)
}, INSTALL_MS)

describe('the rules of Prometheus', () => {
  test('are valid, and so is the configuration that loads them', async () => {
    expect(await promtool('check', 'config', 'prometheus.yaml')).toContain(`SUCCESS: ${rules.length} rules`)
  })

  test('fire and keep silent as their tests say', { timeout: INSTALL_MS }, async () => {
    expect(await promtool('test', 'rules', 'rules.test.yaml', 'rules-hours.test.yaml')).toContain('SUCCESS')
  })

  test('have for each alert a test in which it fires and one in which it does not', async () => {
    const { tests } = load(await readFile(`${rulesFolder}rules.test.yaml`, 'utf8')) as RuleTests
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

describe('the samples that Prometheus keeps', () => {
  const HOURS = { m: 1 / 60, h: 1, d: 24, w: 168 }
  const hoursOf = (text: string) => Number.parseInt(text, 10) * HOURS[text.slice(-1) as keyof typeof HOURS]

  test('outlast the longest window of a rule or a dashboard, wherever a page or a file starts it', async () => {
    const expressions = [...rules.map(({ expr }) => expr), ...expressionsOf(Object.values(dashboards))]
    const windows = expressions.flatMap((expr) =>
      [...expr.matchAll(/\[(\d+[mhdw])[\]:]/g)].map(([, text = '']) => hoursOf(text)),
    )
    expect(Math.max(...windows)).toBe(hoursOf('30d'))
    const files = [
      'deploy/prometheus/prometheus.yaml',
      'deploy/compose.yaml',
      'docs/operations.md',
      'docs/guides/going-live.md',
    ]
    for (const file of files) {
      const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
      const kept = [...text.matchAll(/--storage\.tsdb\.retention\.time=(\w+)/g)].map(([, time = '']) =>
        hoursOf(time),
      )
      expect({ file, kept: kept.length > 0 && Math.min(...kept) > Math.max(...windows) }).toEqual({
        file,
        kept: true,
      })
    }
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
