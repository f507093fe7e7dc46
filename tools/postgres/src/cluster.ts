import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { execa, ExecaError } from 'execa'
import type { Account } from './account.ts'

const INITDB_TIMEOUT_MS = 120_000

type Place = { dataDir: string; binDir: string; account: Account; sync: boolean }

/** Where the server's files are, in the folder of its data. */
export const clusterIn = (dataDir: string): string => join(dataDir, 'cluster')

/** Renames the folder after `initdb` has ended, so that an interrupted one is never used. */
export async function ensureCluster({ dataDir, binDir, account, sync }: Place): Promise<void> {
  const cluster = clusterIn(dataDir)
  if (await exists(cluster)) return

  const draft = join(dataDir, 'cluster.draft')
  await rm(draft, { recursive: true, force: true })
  const flags = [
    `--pgdata=${draft}`,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    // Sorts by code point and knows the case of all letters, on every system.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(sync ? [] : ['--no-sync']),
  ]
  const options = { ...account, cwd: '/', env: { LC_ALL: 'C' }, extendEnv: false, timeout: INITDB_TIMEOUT_MS }
  try {
    await execa(join(binDir, 'initdb'), flags, options)
  } catch (cause) {
    throw new Error(`initdb failed in ${dataDir}: ${reasonOf(cause)}`, { cause })
  }
  await rename(draft, cluster)
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const reasonOf = (error: unknown): string =>
  error instanceof ExecaError && error.stderr !== '' ? String(error.stderr) : String(error)
