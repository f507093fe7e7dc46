import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConfigError } from '@merchant-payments/config'
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  type BuiltFile,
  type Content,
  contentOf,
  type Encoding,
  endings,
  sendFile,
  typeOf,
} from './built-file.ts'

/**
 * A built page in memory: what one build wrote. The next release may be built in the same folder while this process
 * runs. Its document would not fit the headers and scripts of this one.
 */
export interface BuiltPage {
  readonly folder: string
  /** The headers that the build requires for the document. */
  readonly headers: Readonly<Record<string, string>>
  readonly document: BuiltFile
  /** By the path below `assets`. */
  readonly assets: ReadonlyMap<string, BuiltFile>
}

/** The bytes of a page's files, which stay in memory. The dashboard has 1.1 MB, the checkout page 0.2 MB. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024

const DOCUMENT = 'index.html'
const ASSETS = 'assets/'

/** Reads the page from a configured folder. A deployment whose page is not built does not start. */
export async function openBuiltPage(
  directory: string,
  key: { path: string; page: string },
): Promise<BuiltPage> {
  const folder = resolve(directory)
  try {
    const headers = JSON.parse(await readFile(join(folder, 'headers.json'), 'utf8'))
    const contents = await readContents(folder)
    if (contents === 'too_large') {
      const most = `${PAGE_BYTES_MAX / 1024 / 1024} MiB`
      throw faultOf(key.path, `holds more than ${most}: name a folder with nothing but the built ${key.page}`)
    }
    return { folder, headers, ...filesOf(contents) }
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw faultOf(key.path, `is not a folder with the built ${key.page}`)
  }
}

const faultOf = (path: string, message: string) => new ConfigError([{ path, message }])

type Contents = ReadonlyMap<string, Content>

/** The document, the assets, and each compressed, by the path in the folder. */
async function readContents(folder: string): Promise<Contents | 'too_large'> {
  const assets = await readdir(join(folder, ASSETS), { recursive: true })
  const top = (await readdir(folder)).filter((name) => name.startsWith(DOCUMENT))
  const paths = [...top, ...assets.map((name) => `${ASSETS}${name}`)].filter((path) => !isHidden(path))
  const entries = await Promise.all(
    paths.map(async (path) => ({ path, stats: await stat(join(folder, path)) })),
  )
  const files = entries.filter(({ stats }) => stats.isFile())
  if (files.reduce((sum, { stats }) => sum + stats.size, 0) > PAGE_BYTES_MAX) return 'too_large'
  const contents = files.map(
    async ({ path, stats }) => [path, contentOf(await readFile(join(folder, path)), stats.mtime)] as const,
  )
  return new Map(await Promise.all(contents))
}

const isHidden = (path: string): boolean => path.split('/').some((segment) => segment.startsWith('.'))

/** @throws Error if there is no document */
function filesOf(contents: Contents): Pick<BuiltPage, 'document' | 'assets'> {
  const files = new Map<string, BuiltFile>()
  for (const [path, plain] of contents) {
    if (isCompressed(path)) continue
    files.set(path, { type: typeOf(path), plain, compressed: compressedOf(path, contents) })
  }
  const document = files.get(DOCUMENT)
  if (document === undefined) throw new Error('there is no document')
  const assets = [...files].filter(([path]) => path.startsWith(ASSETS))
  return { document, assets: new Map(assets.map(([path, file]) => [path.slice(ASSETS.length), file])) }
}

const isCompressed = (path: string): boolean => Object.values(endings).some((ending) => path.endsWith(ending))

function compressedOf(path: string, contents: Contents): ReadonlyMap<Encoding, Content> {
  const compressed = new Map<Encoding, Content>()
  for (const encoding of ['br', 'gzip'] as const) {
    const content = contents.get(path + endings[encoding])
    if (content !== undefined) compressed.set(encoding, content)
  }
  return compressed
}

/** Serves the assets below the prefix. Each has its own route, so any other path is an unknown route. */
export function registerAssets(app: FastifyInstance, { assets }: BuiltPage, prefix: string): void {
  for (const [name, file] of assets) {
    getOrHead(app, prefix + name, `${prefix}*`, (reply) => sendFile(reply, file, forEver))
  }
}

/** The file name contains a hash of the content. */
const forEver = { 'cache-control': 'public, max-age=31536000, immutable' }

/** Serves the document at a path. */
export const registerDocument = (app: FastifyInstance, page: BuiltPage, url: string, shownAs = url): void =>
  getOrHead(app, url, shownAs, (reply) => sendDocument(reply, page))

export const sendDocument = (reply: FastifyReply, { headers, document }: BuiltPage): FastifyReply =>
  sendFile(reply.headers(headers).header('vary', 'accept-encoding'), document)

/** Serves a file. Not `app.get`, whose HEAD says `Content-Length: 0` beside a 304. */
export function getOrHead(
  app: FastifyInstance,
  url: string,
  shownAs: string,
  answer: (reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    config: { shownAs },
    handler: (_request, reply) => answer(reply),
  })
}
