import { createHash } from 'node:crypto'
import { chown, mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Account, canReach, isRoot, serverAccount } from './account.ts'
import { rootHome } from './root-home.ts'

export type DataDir = { dataDir: string; account: Account }

/** The requested folder. If this process is root and PostgreSQL's account cannot reach it, another one. */
export async function claimDataDir(path: string, log: (line: string) => void): Promise<DataDir> {
  const asked = await claim(resolve(path))
  if (!isRoot() || canReach(asked.account, asked.dataDir)) return asked

  const key = createHash('sha256').update(asked.dataDir).digest('hex').slice(0, 16)
  const instead = await claim(join(await rootHome(), `data-${key}`))
  log(
    `PostgreSQL runs as uid ${asked.account.uid}, which cannot reach ${asked.dataDir}: data in ${instead.dataDir}`,
  )
  return instead
}

/** As root, runs the server as the folder's owner, so that an ordinary user's data stay that user's. */
async function claim(dataDir: string): Promise<DataDir> {
  await mkdir(dataDir, { recursive: true })
  if (!isRoot()) return { dataDir, account: {} }

  const { uid, gid } = await stat(dataDir)
  if (uid !== 0) return { dataDir, account: { uid, gid } }
  const account = serverAccount()
  await chown(dataDir, account.uid ?? uid, account.gid ?? gid)
  return { dataDir, account }
}
