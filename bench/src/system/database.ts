import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureAppLogin, migrate } from '@merchant-payments/db'
import { startPostgres } from '@merchant-payments/postgres'
import pg from 'pg'
import type { Closers } from './closers.ts'

export interface BenchDatabase {
  readonly url: string
  readonly appUrl: string
  readonly client: pg.Client
  onLogLine(listen: (line: string) => void): () => void
}

/**
 * fsync stays on, as in a deployment. No checkpoint occurs while something is measured, so none falls into one
 * contestant's round only.
 */
const SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  // A checkpoint keeps the files of the log for later use. Commits wait while a new one is filled.
  min_wal_size: '4GB',
  checkpoint_timeout: '1h',
  // Marks the API's statements in the log.
  log_line_prefix: '%a ',
}

/**
 * Writes a log of this size and makes a checkpoint. PostgreSQL then reuses the files, as in a deployment that has run
 * for a while. A new file is filled with zeros, 16 MB of them, while all commits wait.
 */
export async function fillLog({ client }: BenchDatabase, megabytes: number): Promise<void> {
  await client.query(
    `select pg_logical_emit_message(false, 'bench', repeat('x', 1024 * 1024)) from generate_series(1, $1::integer)`,
    [megabytes],
  )
  await client.query('checkpoint')
}

/** PostgreSQL runs as another user if this process is root, and must be able to enter the folder. */
const PASSABLE_MODE = 0o711

export async function temporaryFolder(closers: Closers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-bench-'))
  closers.add(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, PASSABLE_MODE)
  return folder
}

export async function startDatabase(folder: string, closers: Closers): Promise<BenchDatabase> {
  const listeners = new Set<(line: string) => void>()
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    settings: SETTINGS,
    log: (line) => listeners.forEach((listen) => listen(line)),
  })
  closers.add(async () => {
    await postgres.stop()
    // PostgreSQL may have found its folder out of reach and used another one.
    await rm(postgres.dataDir, { recursive: true, force: true })
  })
  await migrate(postgres.url)
  const appUrl = await ensureAppLogin(postgres.url, 'merchant_payments_bench')
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  closers.add(() => client.end())
  return {
    url: postgres.url,
    appUrl,
    client,
    onLogLine: (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
  }
}
