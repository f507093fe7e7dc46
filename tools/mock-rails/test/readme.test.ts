import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../src/index.ts'
import { OPERATIONS } from '../src/wire/faults.ts'
import { startRails } from './mtn-client.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const rails = await startRails()
afterAll(() => rails.stop())

describe('the README', () => {
  test('has exactly the scenarios of the mock', async () => {
    const rows = (await rails.control.listScenarios()).map(
      (row) =>
        `| ${[row.suffix, row.charge, row.transfer, row.accountHolder, row.orange].map((cell) => cell ?? '–').join(' | ')} |`,
    )
    const documented = readme
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '))
      .filter((line) => /^\| (\d{3}|other) \|/.test(line))
    expect(documented).toEqual(rows)
  })

  test('names every operation that a fault can be queued for', () => {
    for (const name of OPERATIONS) expect(readme).toContain(`\`${name}\``)
  })

  test('names every setting', () => {
    const names = Object.values(DEFAULT_SETTINGS).flatMap((settings) => Object.keys(settings))
    for (const name of names) expect(readme).toContain(`\`${name}\``)
  })
})
