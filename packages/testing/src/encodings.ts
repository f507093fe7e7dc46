import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { runStatement } from './client.ts'
import { urlOfDatabase } from './postgres.ts'

/** An empty database of an encoding and the locale C, and what removes it. */
export async function createEncoded(encoding: 'UTF8' | 'LATIN1' | 'SQL_ASCII') {
  const { serverUrl, prefix } = inject('postgres')
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  await runStatement(
    serverUrl,
    `create database ${name} template template0 encoding '${encoding}' locale_provider libc locale 'C'`,
  )
  return {
    url: urlOfDatabase(serverUrl, name),
    drop: () => runStatement(serverUrl, `drop database ${name} with (force)`),
  }
}
