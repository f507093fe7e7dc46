import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A copy of the working tree in a folder of its own, with the packages that are installed in the original. */
export interface TreeCopy {
  readonly path: string
  readonly read: (file: string) => Promise<string>
  readonly write: (file: string, content: string) => Promise<void>
  readonly remove: () => Promise<void>
}

export async function copyTree(): Promise<TreeCopy> {
  const path = await mkdtemp(join(tmpdir(), 'conformance-'))
  const remove = () => rm(path, { recursive: true, force: true })
  try {
    const files = await listFiles()
    for (const file of files) {
      await mkdir(dirname(join(path, file)), { recursive: true })
      await cp(join(root, file), join(path, file), { verbatimSymlinks: true })
    }
    await linkPackages(path, files)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    path,
    read: (file) => readFile(join(path, file), 'utf8'),
    write: (file, content) => writeFile(join(path, file), content),
    remove,
  }
}

/** Those of git, and those that are new. */
async function listFiles(): Promise<string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const [listed, deleted] = await Promise.all(
    [args, ['ls-files', '-z', '--deleted']].map(async (given) => {
      const { stdout } = await promisify(execFile)('git', given, { cwd: root, maxBuffer: 1 << 26 })
      return stdout.split('\0').filter((file) => file !== '')
    }),
  )
  return (listed ?? []).filter((file) => !deleted?.includes(file))
}

/** A workspace's links lead to the copy; what they lead to in the root's folder is the original's, and is never written. */
async function linkPackages(path: string, files: readonly string[]): Promise<void> {
  await mkdir(join(path, 'node_modules'))
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name.startsWith('.vite')) continue
    await symlink(join(root, 'node_modules', name), join(path, 'node_modules', name))
  }
  const workspaces = files.filter((file) => /.\/package\.json$/.test(file)).map((file) => dirname(file))
  for (const workspace of workspaces) {
    const [from, to] = [root, path].map((base) => join(base, workspace, 'node_modules'))
    await cp(from ?? '', to ?? '', { recursive: true, verbatimSymlinks: true }).catch(ignoreMissing)
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
