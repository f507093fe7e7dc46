import { hash, randomBytes } from 'node:crypto'
import { access, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { programs } from './bundled-program.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
/** Node finds what the bundles leave out from here. */
const folders = join(root, 'apps/api/node_modules/.cache/programs')
/** Nothing still runs a bundle of this age. */
const OLD_MS = 24 * 3_600_000

/** The servers load these only if the deployment asks for them, and both must find their own files. */
const LEFT_OUT = [/^@scalar\//, /^@opentelemetry\//]
const OTLP = join(root, 'packages/telemetry/src/tracing/otlp.ts')

/** A module reads its files beside itself, so it keeps its address. */
const ownAddresses: Plugin = {
  name: 'own addresses',
  resolveId: (id, importer) =>
    importer !== undefined && join(dirname(importer), id) === OTLP
      ? { id: pathToFileURL(OTLP).href, external: true }
      : null,
  transform: (code, id) =>
    code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : null,
}

/**
 * Bundles the programs of the working tree that the tests start dozens of times. Node spends two thirds of the start of a
 * server on finding and linking a thousand files. The programs keep the names that a deployment runs.
 *
 * @returns the folder, one for each content
 */
export async function bundlePrograms(): Promise<string> {
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((path) => [path.replace(/\.ts$/, ''), join(root, path)])),
    cwd: root,
    platform: 'node',
    external: LEFT_OUT,
    plugins: [ownAddresses],
  })
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
  })
  await bundle.close()
  const chunks = output.filter((file) => file.type === 'chunk')
  const folder = join(folders, hash('sha256', chunks.map(({ code }) => code).join('\n')).slice(0, 16))
  await removeOld()
  if (!(await exists(folder))) await writeWhole(folder, chunks)
  return folder
}

/** Renames a draft, because two runs may write the same folder at once. */
async function writeWhole(folder: string, chunks: readonly OutputChunk[]): Promise<void> {
  const draft = `${folder}.${randomBytes(4).toString('hex')}`
  for (const { fileName, code } of chunks) {
    await mkdir(dirname(join(draft, fileName)), { recursive: true })
    await writeFile(join(draft, fileName), code)
  }
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(folder))) throw error
  })
}

async function removeOld(): Promise<void> {
  await mkdir(folders, { recursive: true })
  for (const name of await readdir(folders)) {
    const { mtimeMs } = await stat(join(folders, name))
    if (mtimeMs < Date.now() - OLD_MS) await rm(join(folders, name), { recursive: true, force: true })
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
