import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import type { Report } from '../src/report.ts'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const RUN_TIMEOUT_MS = 180_000
/** The least writes of a payment, without the queues' tables. */
const written = { payment_intents: 1, charges: 1, events: 1, deliveries: 1, idempotency_keys: 2 }

const neighbourFigures = ['create', 'read', 'confirm to webhook'].flatMap((wait) => [
  `${wait} p99, alone`,
  ...[
    'a neighbour floods creates',
    "a neighbour's customer is erased",
    'a neighbour lists its biggest invoices',
    'a rail hangs with its backlog due',
    'anonymous callbacks flood',
  ].map((noise) => `${wait} p99, while ${noise} / alone`),
])

const folder = await mkdtemp(join(tmpdir(), 'bench-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const bench = (...args: string[]) => run(process.execPath, [main, ...args])

async function compared(...args: string[]) {
  const json = join(folder, 'compared.json')
  const { stdout } = await bench('--quick', ...args, '--json', json)
  return { stdout, report: JSON.parse(await readFile(json, 'utf8')) as Report }
}

/** Linux counts processor time in hundredths of a second, and a worker may use less in a quick round. */
const isMeasured = ({ name, value }: { name: string; value: number }) =>
  Number.isFinite(value) && (value > 0 || (value === 0 && /^processor time of|^a core at rest/.test(name)))

/** An unbalanced ledger exits with 3, which rejects. */
async function measured(): Promise<Report> {
  const json = join(folder, 'report.json')
  const { stdout } = await bench('--quick', '--json', json)
  const report = JSON.parse(await readFile(json, 'utf8')) as Report
  const values = report.figures.flatMap(({ name, ours, peer, ratio }) =>
    [ours, peer, ratio].filter((value) => value !== null).map((value) => ({ name, value })),
  )
  expect(values.filter((figure) => !isMeasured(figure))).toEqual([])
  for (const { name, durability } of report.figures) {
    expect(stdout).toContain(name)
    if (durability !== null) expect(stdout).toContain(`ours: ${durability.ours}; peer: ${durability.peer}`)
  }
  return report
}

test('a quick run measures every path, on a ledger that balances', { timeout: RUN_TIMEOUT_MS }, async () => {
  const { figures, writes } = await measured()
  expect(figures.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...neighbourFigures,
      'create / the same work in five statements',
      'create / the same statement',
      'create / emulate',
      'retrieve / read by key',
      'replay of a create / retrieve',
      'create of customers / the same statement',
      'create of refunds, with their rail',
      'create of customers by one merchant / by eight',
      'list of invoices of a customer and a status / the same statement',
      'list of events / the same statement',
      'token / oidc-provider',
      'whole payments',
      'updates per payment',
      'updates per payment that are HOT',
      'log of a payment',
      'confirm to webhook, median',
      'a core at rest',
      'a core at rest, PostgreSQL',
      'verify a webhook / stripe-node',
      'verify a webhook / standardwebhooks',
      'SDK calls / stripe-node',
      'SDK calls / node:http alone',
      'SDK calls / undici.request',
      'SDK calls over undici / undici.request',
    ]),
  )
  const peerOfCreate = figures.find(({ name }) => name === 'create / emulate')
  expect(peerOfCreate?.ratio).toBeGreaterThan(0)
  expect(peerOfCreate?.durability).toEqual({
    ours: 'fsync, idempotent',
    peer: 'in memory, lost at exit, ignores Idempotency-Key',
  })
  expect(Object.fromEntries(writes?.map(({ table, inserts }) => [table, inserts]) ?? [])).toMatchObject(
    written,
  )
  for (const { updates, hotUpdates } of writes ?? []) expect(updates).toBeGreaterThanOrEqual(hotUpdates)
})

// `test:soak` compares every path on a million rows.
test('a comparison with grown tables has a ratio for each path', { timeout: RUN_TIMEOUT_MS }, async () => {
  const { stdout, report } = await compared('--grown', '1000', '--only', 'create,read')
  const { figures } = report
  expect(report.compared).toEqual({ ours: '1000 rows of each kind', peer: 'empty' })
  expect(stdout).toContain('1000 rows of each kind')
  expect(figures.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['create', 'retrieve', 'replay of a create']),
  )
  for (const { ratio } of figures.filter(({ unit }) => unit === '/s')) expect(ratio).toBeGreaterThan(0)
})

test('a comparison of several replicas has a ratio for each path', { timeout: RUN_TIMEOUT_MS }, async () => {
  const { stdout, report } = await compared('--replicas', '2', '--only', 'read')
  const { figures } = report
  expect(report.compared).toEqual({ ours: '2 apis, 2 workers', peer: 'one of each' })
  expect(stdout).toContain('2 apis, 2 workers')
  const rates = figures.filter(({ unit }) => unit === '/s')
  expect(rates.map(({ name }) => name)).toEqual(['retrieve', 'replay of a create'])
  for (const { ratio } of rates) expect(ratio).toBeGreaterThan(0)
})

test('a comparison with another checkout has a ratio for each path', {
  timeout: RUN_TIMEOUT_MS,
}, async () => {
  // This checkout stands for another one.
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { report } = await compared('--against', root, '--only', 'read')
  expect(report.compared).toEqual({ ours: 'this checkout', peer: root })
  const rates = report.figures.filter(({ unit }) => unit === '/s')
  expect(rates.map(({ name }) => name)).toEqual(['retrieve', 'replay of a create'])
  for (const { ratio } of rates) expect(ratio).toBeGreaterThan(0)
  expect(report.figures.map(({ name }) => name)).toContain('processor time of a retrieve, api')
})

test('a steady run compares its end with its start', { timeout: RUN_TIMEOUT_MS }, async () => {
  const { stdout, report } = await compared('--steady', '3')
  const { figures } = report
  expect(report.compared).toEqual({ ours: 'last third of 3 minutes', peer: 'first third' })
  expect(stdout).toContain('disk of the queues')
  expect(figures.map(({ name }) => name)).toEqual([
    'create p99',
    'read p99',
    'confirm to webhook p99',
    'dead rows',
    'disk of the queues',
    'disk for an intent or a charge',
  ])
  for (const { rounds } of figures)
    expect([rounds.ours, rounds.peer].map(({ length }) => length)).toEqual([1, 1])
})

test('the reads of staff are measured, of every list in the contract', {
  timeout: RUN_TIMEOUT_MS,
}, async () => {
  const { report } = await compared('--staff', '2000')
  const groups = report.figures.map(({ name }) => name.replace(/^staff: |, .*$/g, ''))
  expect(groups).toEqual(
    expect.arrayContaining([
      'payment_intents',
      'deliveries',
      'totals/refunds',
      'overview',
      'analytics',
      'search',
    ]),
  )
  for (const { ours } of report.figures) expect(ours).toBeGreaterThan(0)
})

test('an unknown path is refused by name, before anything is started', async () => {
  const failure: unknown = await bench('--only', 'create,teleport').catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining('unknown path: teleport') })
})
