import { readdir } from 'node:fs/promises'
import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { isReady, migrate, type Reader, requireSchema } from '../src/index.ts'
import { openTestDatabase } from '../src/testing.ts'

const database = await cloneDatabase()
const client = await connect(database.url)
afterAll(async () => {
  await client.end()
  await database.drop()
})

// A clone is already migrated, so the schema is emptied.
beforeEach(async () => {
  await client.query('drop schema public cascade; create schema public')
})

const applied = async () =>
  (await client.query('select version, name, checksum, applied_at from schema_migrations order by version'))
    .rows

const tables = async () =>
  (
    await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
    )
  ).rows.map(({ name }) => name)

describe('migrate', () => {
  test('by eight replicas at once brings an empty database to the schema, once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => migrate(database.url)))

    const names = (await readdir(new URL('../migrations/', import.meta.url))).sort()
    expect(await applied()).toMatchObject(names.map((name) => ({ version: Number(name.slice(0, 4)), name })))
    expect(await tables()).toEqual(
      expect.arrayContaining(['charges', 'events', 'idempotency_keys', 'payment_intents']),
    )
  })

  test('again changes nothing', async () => {
    await migrate(database.url)
    const before = [await applied(), await tables()]
    await migrate(database.url)
    expect([await applied(), await tables()]).toEqual(before)
  })

  test('refuses a migration that was edited after it was applied, and touches nothing', async () => {
    await migrate(database.url)
    await client.query(`update schema_migrations set checksum = 'of another text'`)
    const before = await applied()

    await expect(migrate(database.url)).rejects.toThrow(
      'migration 0001_main_job.sql was edited after it was applied: add a new one instead',
    )
    expect(await applied()).toEqual(before)
  })

  test('that fails in the middle leaves nothing of itself', async () => {
    await client.query('create table leases (taken boolean)')
    await expect(migrate(database.url)).rejects.toMatchObject({ code: '42P07' })
    expect(await tables()).toEqual(['leases'])
  })
})

describe('the schema', () => {
  const withReader = async <T>(ask: (reader: Reader) => Promise<T>) => {
    const db = openTestDatabase(database.url)
    try {
      return await ask(db.reader)
    } finally {
      await db.close()
    }
  }

  const isCurrent = () => withReader(isReady)

  test('is current once migrated, and when a newer replica has gone further', async () => {
    await migrate(database.url)
    expect(await isCurrent()).toBe(true)
    await client.query(`insert into schema_migrations (version, name, checksum) values (9999, 'later', 'c')`)
    expect(await isCurrent()).toBe(true)
  })

  test('is not current without one of its migrations, though it has the newest, and unknown in an empty database', async () => {
    await expect(isCurrent()).rejects.toMatchObject({ code: '42P01' })
    await migrate(database.url)
    await client.query('delete from schema_migrations where version = 7')
    expect(await isCurrent()).toBe(false)
  })

  test('that lacks a migration is refused in words, which name it', async () => {
    await expect(withReader(requireSchema)).rejects.toThrow(
      /^the database lacks every migration: run "migrate up"/,
    )
    await migrate(database.url)
    await expect(withReader(requireSchema)).resolves.toBeUndefined()
    await client.query('delete from schema_migrations where version = 7')
    await expect(withReader(requireSchema)).rejects.toThrow(
      /^the database lacks 0007_operator_webhooks.sql: run "migrate up" as the owner/,
    )
  })
})
