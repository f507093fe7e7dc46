import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { openTestServer, runStatement, urlOfDatabase } from './postgres.ts'

type Migrate = (url: string) => Promise<void>

/**
 * For vitest's `globalSetup`: one server and one migrated template for the whole run, and what undoes both.
 * `migrate` is handed in, because the package that owns it uses this one in its own tests.
 */
export async function provideDatabases(
  project: Pick<TestProject, 'provide'>,
  migrate: Migrate,
  givenUrl: string | undefined = process.env['DATABASE_URL'],
): Promise<() => Promise<void>> {
  const server = await openTestServer(givenUrl)
  // Random, since two runs may share a server.
  const prefix = `mp_${randomBytes(4).toString('hex')}_`
  const tearDown = () => dropDatabases(server.url, prefix).finally(server.stop)
  try {
    const template = await createTemplate(server.url, `${prefix}template`, migrate)
    project.provide('postgres', { serverUrl: server.url, template, prefix })
  } catch (error) {
    await tearDown()
    throw error
  }
  return tearDown
}

async function createTemplate(serverUrl: string, name: string, migrate: Migrate): Promise<string> {
  await runStatement(serverUrl, `create database ${name}`)
  await migrate(urlOfDatabase(serverUrl, name))
  // A database in use cannot be copied.
  await runStatement(serverUrl, `alter database ${name} with allow_connections false`)
  return name
}

async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const query = `select datname as name from pg_database where starts_with(datname, '${prefix}')`
  const left = await runStatement<{ name: string }>(serverUrl, query)
  for (const { name } of left) await runStatement(serverUrl, `drop database if exists ${name} with (force)`)
}
