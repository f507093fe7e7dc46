import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { runStatement } from './client.ts'
import { openTestServer, urlOfDatabase } from './postgres.ts'

/** Functions of packages/db, which are passed in because packages/db uses this package in its tests. */
interface Migrations {
  readonly migrate: (url: string) => Promise<unknown>
  readonly ensureAppLogin: (ownerUrl: string, name: string) => Promise<string>
}

/**
 * For vitest's `globalSetup`: one server, one migrated template and one login of the app role for the whole
 * run.
 *
 * @returns a function that removes them
 */
export async function provideDatabases(
  project: Pick<TestProject, 'provide'>,
  { migrate, ensureAppLogin }: Migrations,
  givenUrl: string | undefined = process.env['DATABASE_URL'],
): Promise<() => Promise<void>> {
  const server = await openTestServer(givenUrl)
  // Random, because two runs may share a server.
  const prefix = `mp_${randomBytes(4).toString('hex')}_`
  const login = `${prefix}app`
  const clear = async () => {
    await dropDatabases(server.url, prefix)
    await runStatement(server.url, `drop role if exists ${login}`)
  }
  const tearDown = () => clear().finally(server.stop)
  try {
    const template = await createTemplate(server.url, `${prefix}template`, migrate)
    const appServerUrl = await ensureAppLogin(server.url, login)
    project.provide('postgres', {
      serverUrl: server.url,
      appServerUrl,
      template,
      prefix,
      strategy: server.strategy,
    })
  } catch (error) {
    await tearDown()
    throw error
  }
  return tearDown
}

async function createTemplate(
  serverUrl: string,
  name: string,
  migrate: Migrations['migrate'],
): Promise<string> {
  await runStatement(serverUrl, `create database ${name}`)
  await migrate(urlOfDatabase(serverUrl, name))
  // PostgreSQL cannot copy a database that is in use.
  await runStatement(serverUrl, `alter database ${name} with allow_connections false`)
  return name
}

async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const query = `select datname as name from pg_database where starts_with(datname, '${prefix}')`
  const left = await runStatement<{ name: string }>(serverUrl, query)
  for (const { name } of left) await runStatement(serverUrl, `drop database if exists ${name} with (force)`)
}
