import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { requireProgram } from '@merchant-payments/testing/program'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { INSTALL_MS, readRules, type Rule, rulesFolder } from './rules.ts'

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
