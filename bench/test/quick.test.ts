import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../src/report.ts'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const RUN_TIMEOUT_MS = 180_000

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bench-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const bench = (...args: string[]) => run(process.execPath, [main, ...args])

describe('a quick run', () => {
  test('measures every path, on a ledger that balances', { timeout: RUN_TIMEOUT_MS }, async () => {
    const json = join(folder, 'report.json')
    // An unbalanced ledger exits with 3, which rejects.
    const { stdout } = await bench('--quick', '--json', json)
    const { figures } = JSON.parse(await readFile(json, 'utf8')) as Report
    const measured = figures.flatMap(({ name, ours, peer, ratio }) =>
      [ours, peer, ratio].filter((value) => value !== null).map((value) => ({ name, value })),
    )
    expect(measured.filter(({ value }) => !(value > 0 && Number.isFinite(value)))).toEqual([])
    for (const { name } of figures) expect(stdout).toContain(name)
    expect(figures.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'create / the same work in five statements',
        'create / the same statement',
        'retrieve / read by key',
        'replay of a create / retrieve',
        'create of customers / the same statement',
        'create of refunds, with their rail',
        'list of invoices of a customer and a status / the same statement',
        'list of events / the same statement',
        'token / oidc-provider',
        'whole payments',
        'confirm to webhook, median',
        'verify a webhook / stripe-node',
        'SDK calls / stripe-node',
      ]),
    )
  })
})

test('an unknown path is refused by name, before anything is started', async () => {
  const failure: unknown = await bench('--only', 'create,teleport').catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no path teleport') })
})
