import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate, readMigrations } from '@merchant-payments/db'
import { startPostgres } from '@merchant-payments/postgres'
import { addColumns } from '@merchant-payments/testing/newer-schema'
import { describeStatements } from '@merchant-payments/testing/statements'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const releases = join(root, 'packages/db/releases')

/** Together they run every operation of the api, with its filters and refusals, and every pass of the worker. */
const RECORDERS = [
  'apps/api/test/newer-schema',
  'apps/api/test/v1',
  'apps/api/test/browser',
  'apps/api/test/dash',
  'apps/worker/test/newer-schema',
  'apps/worker/test/sweeps',
  'apps/worker/test/settle-charges',
  'apps/worker/test/instruct-refunds',
  'apps/worker/test/deliver-webhooks',
  'packages/core/test/newer-schema',
  'packages/core/test/erasure',
]

/** The service passes many rows as an array or as JSON. */
const PARAMETERS_MAX = 100

const release = process.argv[2] ?? ''
if (/^\d+\.\d+(?:\.\d+)?$/.test(release)) await inFolder(record)
else {
  console.error('Usage: release:record <release, such as 0.1>')
  process.exitCode = 2
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'record-release-'))
  await work(folder).finally(() => rm(folder, { recursive: true }))
}

/**
 * Leaves out what only tests run: BEGIN, statements on tables of their own, inserts of many rows, and
 * statements that expand rows, which `packages/core/test/rules.test.ts` keeps out of the service.
 */
async function record(folder: string): Promise<void> {
  const texts = join(folder, 'texts')
  await mkdir(texts)
  await runTests(texts)
  const found = await Promise.all((await readdir(texts)).map((name) => readFile(join(texts, name), 'utf8')))
  const all = [...new Set(found.flatMap((text) => JSON.parse(text) as string[]))].toSorted()
  const postgres = await startPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } })
  try {
    await migrate(postgres.url)
    const described = await describeStatements(postgres.url, all)
    await addColumns(postgres.url)
    const later = await describeStatements(postgres.url, all)
    const statements = described.filter(
      (one, n) =>
        one !== null &&
        one.parameters.length <= PARAMETERS_MAX &&
        JSON.stringify(one) === JSON.stringify(later[n]),
    )
    const schema = (await readMigrations()).at(-1)?.version
    await mkdir(releases, { recursive: true })
    const file = join(releases, `${release}.json`)
    // A line for each, so that a diff shows which statements a release has changed.
    const lines = statements.map((one) => JSON.stringify(one)).join(',\n')
    await writeFile(file, `{"schema":${schema},"statements":[\n${lines}\n]}\n`)
    console.log(`${statements.length} statements of ${release}, on schema ${schema}`)
  } finally {
    await postgres.stop()
  }
}

async function runTests(folder: string): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--project', 'system', '--project', 'in-process', ...RECORDERS]
  const env = { ...process.env, RECORD_STATEMENTS: folder }
  const [code] = await once(spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' }), 'close')
  if (code !== 0) throw new Error('a test failed: nothing is recorded')
}
