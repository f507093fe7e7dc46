import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pnpm } from './run.ts'

interface Wanted {
  readonly manifest: { readonly dependencies: Readonly<Record<string, string>> }
  /** The packages whose install scripts may run. */
  readonly builds?: readonly string[]
  readonly overrides?: Readonly<Record<string, string>>
}

/**
 * Installs a project with the folders of npm, but with pnpm: it links the files of its store, where npm writes a gigabyte
 * of programs again each time.
 */
export async function installTools(
  folder: string,
  { manifest, builds = [], overrides = {} }: Wanted,
): Promise<void> {
  const settings = {
    packages: ['.'],
    nodeLinker: 'hoisted',
    strictDepBuilds: false,
    allowBuilds: Object.fromEntries(builds.map((name) => [name, true])),
    overrides,
  }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  // JSON is YAML.
  await writeFile(join(folder, 'pnpm-workspace.yaml'), JSON.stringify(settings))
  await pnpm(['install', '--prefer-offline', '--no-frozen-lockfile'], { cwd: folder })
}
