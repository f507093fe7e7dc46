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
  /** The folder in `packages`. */
  readonly short: string
  readonly name: string
  readonly version: string
}

/** Every package that is not private. */
export async function publishedPackages({ folder }: Folder): Promise<Published[]> {
  const found: Published[] = []
  for (const short of await readdir(join(folder, 'packages'))) {
    const manifest = JSON.parse(await readFile(join(folder, 'packages', short, 'package.json'), 'utf8')) as {
      name: string
      version: string
      private?: boolean
    }
    if (manifest.private !== true) found.push({ short, name: manifest.name, version: manifest.version })
  }
  return found
}
