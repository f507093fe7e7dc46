import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress } from 'node:zlib'
import { rolldown } from 'rolldown'

/** The servers of a release, without its sources and its dependencies. */
export interface ReleasedServers {
  readonly api: string
  readonly worker: string
  /** The schema of the release. */
  readonly migrations: URL
}

/** The servers read these folders, which they find two levels above the program. */
const DATA = { migrations: 'packages/db/migrations', openapi: 'packages/contract/openapi' } as const
const PROGRAMS = 'servers/programs'

/** Loaded only if a collector of traces is configured. */
const LEFT_OUT = /^@opentelemetry\//
/** Three megabytes of script for people who read the API's description. */
const REFERENCE_PAGE = '@scalar/fastify-api-reference'

type Files = Readonly<Record<string, string>>

/** Bundles the api and the worker of an installed checkout, with all that they load. @returns a compressed file */
export async function packServers(checkout: string): Promise<Buffer> {
  const files = { ...(await bundleServers(checkout)), ...(await readData(checkout)) }
  return promisify(brotliCompress)(JSON.stringify(files))
}

async function bundleServers(checkout: string): Promise<Files> {
  const main = (app: string) => join(checkout, `apps/${app}/src/main.ts`)
  const bundle = await rolldown({
    input: { api: main('api'), worker: main('worker') },
    cwd: checkout,
    platform: 'node',
    external: LEFT_OUT,
    plugins: [
      {
        name: 'no reference page',
        resolveId: (id) => (id === REFERENCE_PAGE ? id : null),
        load: (id) => (id === REFERENCE_PAGE ? 'export default (app, options, done) => done()' : null),
      },
    ],
  })
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
    minify: true,
  })
  return Object.fromEntries(
    output.flatMap((file) => (file.type === 'chunk' ? [[join(PROGRAMS, file.fileName), file.code]] : [])),
  )
}

async function readData(checkout: string): Promise<Files> {
  const files: Record<string, string> = {}
  for (const [name, folder] of Object.entries(DATA)) {
    for (const file of (await readdir(join(checkout, folder))).toSorted())
      files[join(name, file)] = await readFile(join(checkout, folder, file), 'utf8')
  }
  return files
}

/** Writes the files that {@link packServers} has packed into an empty folder. */
export async function unpackServers(packed: Buffer, folder: string): Promise<ReleasedServers> {
  const files = JSON.parse((await promisify(brotliDecompress)(packed)).toString()) as Files
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return {
    api: join(folder, PROGRAMS, 'api.mjs'),
    worker: join(folder, PROGRAMS, 'worker.mjs'),
    migrations: pathToFileURL(`${join(folder, 'migrations')}/`),
  }
}
