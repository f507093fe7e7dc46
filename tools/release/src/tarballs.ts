import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Checkout, Published } from './checkout.ts'
import { pnpm, run } from './run.ts'

export interface Tarball extends Published {
  readonly file: string
  readonly files: readonly string[]
}

const REQUIRED = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']
const REQUIRED_OF_LIBRARY = ['dist/index.mjs', 'dist/index.mjs.map', 'dist/index.cjs', 'dist/index.d.mts']
const REQUIRED_OF_COMMAND = ['dist/main.mjs', 'dist/main.mjs.map', 'dist/THIRD-PARTY-NOTICES.txt']
const REFUSED_FIELDS = ['devDependencies', 'scripts', 'private', 'dependencies']
const REQUIRED_FIELDS = ['license', 'repository', 'homepage', 'bugs', 'exports', 'engines']
/** The hashes of scripts for pages without a bundler. */
const INTEGRITY = 'dist/integrity.json'

/** Packs a package, which builds it, and checks what a registry would get. */
export async function pack({ folder }: Checkout, one: Published, target: string): Promise<Tarball> {
  await mkdir(target, { recursive: true })
  const file = join(target, `${one.short}.tgz`)
  await pnpm(['pack', '--out', file], { cwd: join(folder, one.path) })
  const listed = await run('tar', ['-tzf', file], { cwd: target })
  const files = listed
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''))
    .sort()
  const read = (path: string) => run('tar', ['-xzOf', file, `package/${path}`], { cwd: target })
  const manifest = JSON.parse(await read('package.json')) as Record<string, unknown>
  const faults = [
    ...[...REQUIRED, ...(one.command === null ? REQUIRED_OF_LIBRARY : REQUIRED_OF_COMMAND)]
      .filter((path) => !files.includes(path))
      .map((path) => `it lacks ${path}`),
    ...REQUIRED_FIELDS.filter((field) => !(field in manifest)).map((field) => `its manifest lacks ${field}`),
    ...REFUSED_FIELDS.filter((field) => field in manifest).map((field) => `its manifest has ${field}`),
    ...(JSON.stringify(manifest).includes('workspace:') ? ['its manifest names the workspace'] : []),
    ...(files.includes(INTEGRITY) ? integrityFaults(await read(INTEGRITY), await read('README.md')) : []),
  ]
  if (faults.length > 0) throw new Error(`${one.name}: ${faults.join('; ')}`)
  return { ...one, file, files }
}

/** A page that copies another hash from the README would refuse the script. */
const integrityFaults = (integrity: string, readme: string): string[] =>
  Object.entries(JSON.parse(integrity) as Record<string, string>)
    .filter(([, hash]) => !readme.includes(hash))
    .map(([script, hash]) => `its README lacks the hash of ${script}, ${hash}`)
