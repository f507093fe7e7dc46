import { readFile } from 'node:fs/promises'
import { createEncoded } from '@merchant-payments/testing/encodings'
import { connect, runStatement } from '@merchant-payments/testing/client'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { migrate, readMigrations, WrongEncodingError } from '../src/index.ts'
import { prepareDatabase } from '../src/prepare.ts'

async function created(encoding: Parameters<typeof createEncoded>[0]): Promise<string> {
  const { url, drop } = await createEncoded(encoding)
  onTestFinished(() => void drop())
  return url
}

const start = (url: string) =>
  prepareDatabase({
    url,
    servers: undefined,
    livemode: false,
    namedStatements: true,
    migrateOnBoot: false,
    onConnectionLost: () => undefined,
    onAway: () => expect.unreachable(),
  })

async function tablesOf(url: string): Promise<number | null> {
  const client = await connect(url)
  const { rowCount } = await client.query(`select from pg_class where relnamespace = 'public'::regnamespace`)
  await client.end()
  return rowCount
}

describe.each(['SQL_ASCII', 'LATIN1'] as const)('a database in %s', (encoding) => {
  test('is refused by a migration, which changes nothing', async () => {
    const url = await created(encoding)
    await expect(migrate(url)).rejects.toThrow(
      `the encoding of the database is ${encoding}: create it by \`create database`,
    )
    expect(await tablesOf(url)).toBe(0)
  })

  test('is refused at the start of a process', async () => {
    const starting = start(await created(encoding))
    await expect(starting).rejects.toThrow(WrongEncodingError)
  })
})

describe('a database in UTF8 whose locale does not fold accents', () => {
  test('is refused by a migration while it is empty', async () => {
    const url = await created('UTF8')
    await expect(migrate(url)).rejects.toThrow(WrongEncodingError)
    expect(await tablesOf(url)).toBe(0)
  })

  test('is migrated and started if it has migrations, and the process can tell', async () => {
    const url = await created('UTF8')
    const [first = expect.unreachable()] = await readMigrations()
    const client = await connect(url)
    await client.query(`create table schema_migrations (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
    await client.query(first.sql)
    await client.query('insert into schema_migrations values ($1, $2, $3)', [
      first.version,
      first.name,
      first.checksum,
    ])
    await client.end()
    await migrate(url)
    expect(await start(url)).toMatchObject({ foldsAccents: false })
  })
})

test('a database as the pages create it is migrated, and folds accents', async () => {
  const pages = ['operations.md', 'guides/first-deployment.md'].map((page) =>
    readFile(new URL(`../../../docs/${page}`, import.meta.url), 'utf8'),
  )
  const statements = (await Promise.all(pages)).flatMap((page) =>
    page.match(/^create database payments.*;$/gm),
  )
  expect(new Set(statements).size).toBe(1)
  const [statement] = statements
  const { serverUrl, prefix } = inject('postgres')
  const name = `${prefix}as_the_pages_say`
  const here = statement?.replace('payments owner payments_migrate', name) ?? ''
  await runStatement(serverUrl, here)
  onTestFinished(() => void runStatement(serverUrl, `drop database ${name} with (force)`))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await migrate(url.href)
  expect(await start(url.href)).toMatchObject({ foldsAccents: true })
})
