import { readdir, readFile } from 'node:fs/promises'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Manifest extends Locked {
  readonly name: string
  readonly version: string
}

const root = new URL('../../', import.meta.url)
const store = new URL('node_modules/.pnpm/', root)

/** Reads the manifest of each installed package. The folders of the store are called after a package, such as `@biomejs+biome@2.6.8`. */
async function installedManifests(): Promise<Manifest[]> {
  const folders = (await readdir(store)).flatMap((folder) => {
    const [, name] = /^(@?[^@]+)@/.exec(folder) ?? []
    return name === undefined ? [] : [`${folder}/node_modules/${name.replace('+', '/')}/`]
  })
  const read = folders.map(async (folder) =>
    JSON.parse(await readFile(new URL(`${folder}package.json`, store), 'utf8')),
  )
  return (await Promise.allSettled(read)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

// Without them, an install on another system leaves out a program of the two commands, such as turbo's.
test('the lock file has the programs of each package for all systems', async () => {
  const { snapshots } = load(await readFile(new URL('pnpm-lock.yaml', root), 'utf8')) as {
    snapshots: Readonly<Record<string, Locked>>
  }
  const locked = new Map(Object.entries(snapshots).map(([id, one]) => [id.replace(/\(.*/, ''), one]))
  const manifests = (await installedManifests()).filter(({ name, version }) =>
    locked.has(`${name}@${version}`),
  )
  expect(manifests.map(({ name }) => name)).toContain('turbo')
  const missing = manifests.flatMap(({ name, version, optionalDependencies = {} }) => {
    const known = locked.get(`${name}@${version}`)?.optionalDependencies ?? {}
    return Object.keys(optionalDependencies).filter((program) => !(program in known))
  })
  expect(missing).toEqual([])
})
