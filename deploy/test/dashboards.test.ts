import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requireProgram } from '@merchant-payments/testing/program'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { describe, expect, test } from 'vitest'
import { dashboards } from '../src/dashboards/index.ts'
import { rails } from '../src/dashboards/rails.ts'
import { INSTALL_MS } from './rules.ts'
import { expressionsOf, rendered } from './shown.ts'

const folder = new URL('../grafana/', import.meta.url)
const all = Object.values(dashboards)

describe('the dashboards', () => {
  test('are written as their declarations say: run npx pnpm@12 dashboards', async () => {
    const files = await readdir(folder)
    expect(files.toSorted()).toEqual(
      Object.keys(dashboards)
        .map((name) => `${name}.json`)
        .toSorted(),
    )
    for (const [name, dashboard] of Object.entries(dashboards)) {
      expect(JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8'))).toEqual(rendered(dashboard))
    }
  })

  test('have an address of their own each', () => {
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length)
  })

  test.each(all)('$title: has an id, a place and named queries for each panel', (dashboard) => {
    const { panels } = rendered(dashboard)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.trunc(n / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { type, targets = [] } of panels) {
      expect(targets.length > 0).toBe(type !== 'row')
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    }
  })

  test('show the rate, the errors and the duration of each rail’s calls', () => {
    const [row, ...others] = rails.rows
    expect([row?.repeat, others, Object.keys(rails.variables ?? {})]).toEqual(['rail', [], ['rail']])
    const asked = (row?.panels ?? []).flatMap(({ queries }) => queries.map(({ expr }) => expr))
    for (const metric of [
      'rail_requests_total',
      'rail:error_ratio:rate5m',
      'rail_request_duration_seconds_bucket',
    ])
      expect(asked).toContainEqual(expect.stringContaining(`${metric}{rail="$rail"}`))
  })

  test('ask Prometheus for what it understands', { timeout: INSTALL_MS }, async () => {
    requireProgram('promtool', 'prometheus')
    const temporary = await testFolder()
    const file = join(temporary, 'expressions.yaml')
    const rules = expressionsOf(all).map((expr, n) => ({ record: `shown_${n}`, expr }))
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'shown', rules }] }))
    const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', file])
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`)
  })
})
