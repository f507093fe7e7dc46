import { access, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import { ConfigError } from '@merchant-payments/config'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** A page that was built: a folder, and what its build says must be sent with the document. */
export interface BuiltPage {
  readonly folder: string
  readonly headers: Readonly<Record<string, string>>
}

/** Reads what a key of the configuration names, so that a deployment without its build does not start. */
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

/** Serves them below the prefix, and nothing else: each has a route of its own, so that any other is an unknown one. */
export function registerAssets(app: FastifyInstance, { folder }: BuiltPage, prefix: string): void {
  void app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix,
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    index: false,
    preCompressed: true,
    // An asset's name carries the hash of its content.
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
