import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '@merchant-payments/postgres'
import { provideDatabases } from '@merchant-payments/testing/global-setup'
import { afterAll, beforeAll, expect, type ProvidedContext, test } from 'vitest'
import { runStatement } from '../src/client.ts'

let postgres: Postgres

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'merchant-payments-setup-'))
  postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } })
})

afterAll(async () => {
  await postgres.stop()
  await rm(postgres.dataDir, { recursive: true, force: true })
})

const databases = () => runStatement(postgres.url, 'select datname from pg_database where not datistemplate')

const migrate = async (url: string) => {
  await runStatement(url, 'create table migrated (id int)')
}

const ensureAppLogin = async (url: string, name: string) => {
  await runStatement(url, `create role ${name} login`)
  return url.replace('postgres@', `${name}@`)
}

test('a run gets its own migrated template and login, and removes both from a server that it was given', async () => {
  const provided: ProvidedContext['postgres'][] = []
  const project = { provide: (_key: string, value: ProvidedContext['postgres']) => provided.push(value) }

  const tearDown = await provideDatabases(project, { migrate, ensureAppLogin }, postgres.url)

  const [{ serverUrl, appServerUrl, template, prefix } = expect.unreachable()] = provided
  expect(serverUrl).toBe(postgres.url)
  await runStatement(serverUrl, `create database ${prefix}left_behind template ${template}`)
  const cloneUrl = serverUrl.replace(/postgres$/, `${prefix}left_behind`)
  expect(await runStatement(cloneUrl, "select to_regclass('migrated') as found")).toEqual([
    { found: 'migrated' },
  ])
  expect(await runStatement(appServerUrl, 'select current_user as name')).toEqual([{ name: `${prefix}app` }])

  await tearDown()
  expect(await databases()).toEqual([{ datname: 'postgres' }])
  expect(
    await runStatement(postgres.url, `select from pg_roles where starts_with(rolname, '${prefix}')`),
  ).toEqual([])
})

test('a migration that fails ends the run with its own error and leaves no database', async () => {
  const project = { provide: () => expect.unreachable() }
  const failing = () => Promise.reject(new Error('relation is missing'))

  await expect(provideDatabases(project, { migrate: failing, ensureAppLogin }, postgres.url)).rejects.toThrow(
    'relation is missing',
  )

  expect(await databases()).toEqual([{ datname: 'postgres' }])
})
