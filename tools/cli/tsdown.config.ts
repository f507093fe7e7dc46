import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsdown'

/** The folder of a module's package in node_modules, with its name. */
const packageOf = (id: string): [string, string] | null => {
  const [, folder, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(id) ?? []
  return folder === undefined || name === undefined ? null : [folder, name]
}

/** The bundle has code of other packages, whose licences ask for their notices. */
const notices = {
  name: 'third-party-notices',
  generateBundle(
    this: { emitFile: (file: { type: 'asset'; fileName: string; source: string }) => void },
    _options: unknown,
    bundle: Record<string, { moduleIds?: string[] }>,
  ) {
    const ids = Object.values(bundle).flatMap(({ moduleIds }) => moduleIds ?? [])
    const packages = new Map(
      ids
        .map(packageOf)
        .filter((one) => one !== null)
        .map(([folder, name]) => [name, folder]),
    )
    const texts = [...packages]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, folder]) => `${name}\n\n${licenceIn(folder)}`)
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: texts.join('\n\n---\n\n') })
  },
}

function licenceIn(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined || !existsSync(join(folder, file))) throw new Error(`${folder} has no licence`)
  return readFileSync(join(folder, file), 'utf8').trim()
}

export default defineConfig({
  entry: ['src/main.ts'],
  format: ['esm'],
  fixedExtension: true,
  target: 'node20',
  platform: 'node',
  dts: false,
  sourcemap: true,
  plugins: [notices],
})
