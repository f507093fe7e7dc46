import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { runStatement } from './client.ts'
import { urlOfDatabase } from './postgres.ts'

export type TestDatabase = {
  /** The owner's URL, for fixtures that need more rights than the service has. */
  url: string
  /** The service's URL: a login of the app role. */
  appUrl: string
  drop: () => Promise<void>
}

export async function cloneDatabase(): Promise<TestDatabase> {
  const { serverUrl, appServerUrl, template, prefix, strategy } = inject('postgres')
  const name = `${prefix}${randomBytes(8).toString('hex')}`
  // PostgreSQL waits some seconds for the template while a connection to it ends.
  await runStatement(serverUrl, `create database ${name} template ${template} strategy ${strategy}`)
  return {
    url: urlOfDatabase(serverUrl, name),
    appUrl: urlOfDatabase(appServerUrl, name),
    drop: async () => {
      await runStatement(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
}
