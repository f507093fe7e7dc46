import { execFile } from 'node:child_process'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const servers = ['apps/api', 'apps/worker']

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest

/** Resolves a dependency's folder as Node does. */
async function folderOf(name: string, from: string): Promise<string> {
  const inside = join(from, 'node_modules', name)
  const found = await realpath(inside).catch(() => null)
  if (found !== null) return found
  if (dirname(from) === from) throw new Error(`${name} is not installed`)
  return folderOf(name, dirname(from))
}

/** The server's installed production packages as `name@version`, by their manifests alone. */
async function productionOf(folder: string, found = new Map<string, string>()): Promise<Map<string, string>> {
  for (const name of Object.keys((await manifestOf(folder)).dependencies ?? {})) {
    const place = await folderOf(name, folder)
    if (found.has(place)) continue
    const { name: own, version } = await manifestOf(place)
    found.set(place, `${own}@${version}`)
    await productionOf(place, found)
  }
  return found
}

interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly purl: string
}

let sbom: { readonly bomFormat: string; readonly components: readonly Component[] }
let listed: string[]
beforeAll(async () => {
  await promisify(execFile)('npx', ['--yes', 'pnpm@12', 'run', 'sbom'], { cwd: root })
  sbom = JSON.parse(await readFile(join(root, 'dist/sbom.cdx.json'), 'utf8')) as typeof sbom
  listed = sbom.components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`)
})

describe('the bill of materials', () => {
  test('is CycloneDX, and names each package as scanners do', () => {
    expect(sbom.bomFormat).toBe('CycloneDX')
    expect(sbom.components.filter(({ purl }) => !purl.startsWith('pkg:npm/'))).toEqual([])
  })

  test.each(servers)('lists every package that %s runs with', async (server) => {
    const production = new Set((await productionOf(join(root, server))).values())
    expect([...production]).toEqual(expect.arrayContaining([expect.stringMatching(/^pg@/)]))
    expect([...production].filter((name) => !listed.includes(name))).toEqual([])
  })

  test('lists nothing that is for development alone', async () => {
    const { devDependencies = {} } = await manifestOf(root)
    const packages = await readdir(join(root, 'node_modules'))
    expect(packages).toContain('vitest')
    const names = listed.map((one) => one.slice(0, one.lastIndexOf('@')))
    expect(Object.keys(devDependencies).filter((name) => names.includes(name))).toEqual([])
  })
})
