import { access, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import { ConfigError } from '@merchant-payments/config'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** A built page: its folder, and the headers that its build requires for the document. */
export interface BuiltPage {
  readonly folder: string
  readonly headers: Readonly<Record<string, string>>
}

/** Reads the page from a configured folder. A deployment whose page is not built does not start. */
export async function openBuiltPage(
  directory: string,
  key: { path: string; page: string },
): Promise<BuiltPage> {
  const folder = resolve(directory)
  try {
    const headers = JSON.parse(await readFile(join(folder, 'headers.json'), 'utf8'))
    await access(join(folder, 'assets'))
    return { folder, headers }
  } catch {
    throw new ConfigError([{ path: key.path, message: `is not a folder with the built ${key.page}` }])
  }
}

/** Serves the assets below the prefix. Each has its own route, so any other path is an unknown route. */
export function registerAssets(app: FastifyInstance, { folder }: BuiltPage, prefix: string): void {
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith(prefix)) route.config = { ...route.config, shownAs: `${prefix}*` }
  })
  void app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix,
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    index: false,
    preCompressed: true,
    // The files are small. RFC 9110 14.2 lets a server ignore Range.
    acceptRanges: false,
    // The file name contains a hash of the content.
    immutable: true,
    maxAge: '365d',
    setHeaders: (reply) => {
      void reply.header('x-content-type-options', 'nosniff').header('vary', 'accept-encoding')
    },
  })
}

export const sendDocument = (reply: FastifyReply, { folder, headers }: BuiltPage): FastifyReply =>
  reply
    .headers(headers)
    .header('vary', 'accept-encoding')
    .sendFile('index.html', folder, { cacheControl: false })
