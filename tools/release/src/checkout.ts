import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pnpm, run } from './run.ts'

interface Folder {
  /** The root of a checkout. */
  readonly folder: string
}

export interface Checkout extends Folder {
  /** Whether changesets wait for a version. */
  readonly isWaiting: boolean
}

/** Clones the commit at HEAD, so that nothing of the working tree gets into a release, and installs it. */
export async function cleanCheckout(root: string, folder: string): Promise<Checkout> {
  await run('git', ['clone', '--quiet', '--no-hardlinks', root, folder], { cwd: root })
  const head = (await run('git', ['rev-parse', 'HEAD'], { cwd: root })).trim()
  await run('git', ['checkout', '--quiet', '--detach', head], { cwd: folder })
  await pnpm(['install', '--frozen-lockfile', '--prefer-offline'], { cwd: folder })
  const changesets = await readdir(join(folder, '.changeset'))
  return { folder, isWaiting: changesets.some((name) => name.endsWith('.md') && name !== 'README.md') }
}

/** Writes the versions and changelogs that the changesets ask for. */
export const version = async ({ folder }: Folder): Promise<void> => {
  await pnpm(['exec', 'changeset', 'version'], { cwd: folder })
}

export interface Published {
  /** The folder in the repository, such as `packages/node-sdk`. */
  readonly path: string
  /** The name of the folder. */
  readonly short: string
  /** The command that it installs; null for a library. */
  readonly command: string | null
  readonly name: string
  readonly version: string
}

/** Every package that is not private. */
export async function publishedPackages({ folder }: Folder): Promise<Published[]> {
  const found: Published[] = []
  for (const group of ['packages', 'tools']) {
    for (const short of await readdir(join(folder, group))) {
      const path = join(group, short)
      const manifest = JSON.parse(await readFile(join(folder, path, 'package.json'), 'utf8')) as Manifest
      if (manifest.private === true) continue
      const [command = null] = Object.keys(manifest.publishConfig?.bin ?? {})
      found.push({ path, short, command, name: manifest.name, version: manifest.version })
    }
  }
  return found
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly publishConfig?: { readonly bin?: Readonly<Record<string, string>> }
}
