import { rm } from 'node:fs/promises'
import { startPostgres } from '@merchant-payments/postgres'
import { makeTemporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The server of this run, by its owner and by the app role. The names of all databases of the run begin
     * with the prefix.
     */
    postgres: {
      serverUrl: string
      appServerUrl: string
      template: string
      prefix: string
      strategy: CopyStrategy
    }
  }
}

/** The strategy of `create database`: file_copy takes two thirds of the time in memory, and longer on a disk. */
type CopyStrategy = 'file_copy' | 'wal_log'

type TestServer = { url: string; strategy: CopyStrategy; stop: () => Promise<void> }

// A test run recreates what a crash loses, so it does not wait for the disk.
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }

/** The given server, which `stop` leaves running, or a new one, which `stop` removes with its data. */
export async function openTestServer(givenUrl: string | undefined): Promise<TestServer> {
  if (givenUrl) return { url: givenUrl, strategy: 'wal_log', stop: async () => {} }

  const { path: folder, isInMemory } = await makeTemporaryFolder('merchant-payments-test-')
  const { url, dataDir, stop } = await startPostgres({ dataDir: folder, settings: SETTINGS })
  return {
    url,
    strategy: isInMemory ? 'file_copy' : 'wal_log',
    stop: async () => {
      await stop()
      for (const path of [dataDir, folder]) await rm(path, { recursive: true, force: true })
    },
  }
}

export function urlOfDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
