import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureAppLogin, migrate } from '@merchant-payments/db'
import { startPostgres } from '@merchant-payments/postgres'
import pg from 'pg'
import type { Closers } from './closers.ts'

export interface BenchDatabase {
  /** The owner's. */
  readonly url: string
  /** The service's own. */
  readonly appUrl: string
  readonly client: pg.Client
  /** Calls back for each line that the server logs, until the function returned is called. */
  onLogLine(listen: (line: string) => void): () => void
}

/** As a deployment would have it: fsync stays on. No checkpoint falls into one contestant's round and not another's. */
const SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  // For the statements that the API sends, when they are asked for.
  log_line_prefix: '%a ',
}

/** Root's PostgreSQL runs as another, who must be able to pass through. */
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
    // It may have found its folder out of reach and taken another one.
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
