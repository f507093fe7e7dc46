import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../src/index.ts'
import type { MockRails } from '../src/index.ts'
import { startRails } from './mtn-client.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
let rails: MockRails
beforeAll(async () => {
  rails = await startRails()
})
afterAll(() => rails.stop())

describe('the README', () => {
  test('has exactly the scenarios that the mock plays', async () => {
    const rows = (await rails.control.listScenarios()).map(
      (row) =>
        `| ${row.suffix} | ${row.charge ?? '–'} | ${row.transfer ?? '–'} | ${row.accountHolder ?? '–'} |`,
    )
    const documented = readme
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '))
      .filter((line) => /^\| (\d{3}|other) \|/.test(line))
    expect(documented).toEqual(rows)
  })

  test('names every setting', () => {
    for (const name of Object.keys(DEFAULT_SETTINGS.mtn)) expect(readme).toContain(`\`${name}\``)
  })
})
