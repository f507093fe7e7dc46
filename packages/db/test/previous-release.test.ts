import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { type DescribedStatement, describeStatements } from '@merchant-payments/testing/statements'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../src/index.ts'
import { ownFolder, readMigrations } from '../src/migrations/files.ts'

const releases = new URL('../releases/', import.meta.url)

interface Release {
  /** The newest migration of the release. */
  readonly schema: number
  readonly statements: readonly DescribedStatement[]
}

/** The newest recorded one: the replicas that run while the next release is deployed. */
const newest =
  (await readdir(releases))
    .filter((name) => name.endsWith('.json'))
    .toSorted(byNumber)
    .at(-1) ?? ''
const { schema, statements } = JSON.parse(await readFile(new URL(newest, releases), 'utf8')) as Release

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

const texts = statements.map(({ text }) => text)

let database: TestDatabase
beforeAll(async () => {
  database = await cloneDatabase()
  await runStatement(database.url, 'drop schema public cascade; create schema public')
  await migrateWhileItRuns()
})
afterAll(() => database.drop())

/** Contract migrations that are newer than the release are applied after its last replica has stopped. */
async function migrateWhileItRuns(): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'while-it-runs-'))
  for (const { name, version, phase } of await readMigrations()) {
    if (phase === 'expand' || version <= schema) await cp(new URL(name, ownFolder), join(path, name))
  }
  await migrate(database.url, { folder: pathToFileURL(`${path}/`) })
  await rm(path, { recursive: true })
}

/** The statements that the schema no longer fits, or whose types it has changed. */
async function findBroken({ url }: TestDatabase): Promise<string[]> {
  const now = await describeStatements(url, texts)
  return texts.filter((_, n) => JSON.stringify(now[n]) !== JSON.stringify(statements[n]))
}

describe(`the statements of the previous release (${newest})`, () => {
  test('run on the schema of this one, with the same types', async () => {
    expect(await findBroken(database)).toEqual([])
  })

  test.each([
    ['drops a column', 'alter table charges drop column rail_token'],
    ['renames a column', 'alter table payment_intents rename column description to note'],
    ['drops a table', 'drop table refused_rows'],
    ['retypes a column', 'alter table refund_jobs alter column tries type bigint'],
    ['drops a function', 'drop function ops_replay_delivery'],
  ])('are found broken where a migration %s', async (_, change) => {
    const copy = await cloneDatabase()
    onTestFinished(copy.drop)
    await runStatement(copy.url, change)
    expect(await findBroken(copy)).not.toEqual([])
  })
})
