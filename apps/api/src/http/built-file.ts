import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import negotiate from '@fastify/accept-negotiator'
import type { FastifyReply } from 'fastify'
import { sendUnmetPrecondition } from './errors.ts'

/** Bytes in memory, with what HTTP says about them. */
export interface Content {
  readonly bytes: Buffer
  /** A hash of the bytes, which is the same in every replica. */
  readonly etag: string
  /** Whole seconds, as in `Last-Modified`. */
  readonly modifiedMs: number
}

/** A file of a built page, as it is and compressed. */
export interface BuiltFile {
  readonly type: string
  readonly plain: Content
  readonly compressed: ReadonlyMap<Encoding, Content>
}

/** The endings of the compressed files. The first one is preferred. */
export const endings = { br: '.br', gzip: '.gz' } as const

export type Encoding = keyof typeof endings

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

export const typeOf = (name: string): string => types[extname(name)] ?? 'application/octet-stream'

export function contentOf(bytes: Buffer, modified: Date): Content {
  const modifiedMs = Math.floor(modified.getTime() / 1000) * 1000
  return {
    bytes,
    etag: `W/"${hash('sha256', bytes, 'base64url')}"`,
    modifiedMs,
  }
}

/** A file that no build has compressed. */
export const compressedFile = async (type: string, bytes: Buffer, modified: Date): Promise<BuiltFile> => ({
  type,
  plain: contentOf(bytes, modified),
  compressed: new Map([['gzip', contentOf(await promisify(gzip)(bytes), modified)]]),
})

/**
 * Answers with the file. It is small, so a Range is ignored, as RFC 9110 14.2 allows.
 *
 * @param ofFile further headers of a file or of a 304, but not of a 412
 */
export function sendFile(
  reply: FastifyReply,
  { type, plain, compressed }: BuiltFile,
  ofFile: Readonly<Record<string, string>> = {},
): FastifyReply {
  const { headers } = reply.request
  const encoding = encodingOf(headers, [...compressed.keys()])
  const content = (encoding !== null && compressed.get(encoding)) || plain
  // RFC 9110 13.2.1: conditions count only where the answer would be a 2xx.
  const isConditional = reply.statusCode === 200
  if (isConditional && !isMet(headers, content)) return sendUnmetPrecondition(reply)
  void reply.headers({
    ...ofFile,
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    etag: content.etag,
    'last-modified': new Date(content.modifiedMs).toUTCString(),
  })
  if (encoding !== null) void reply.headers({ 'content-type': type, 'content-encoding': encoding })
  if (isConditional && isHeld(headers, content)) return reply.code(304).send()
  return reply.header('content-type', type).send(content.bytes)
}

/** `*` stands for gzip. */
function encodingOf(headers: IncomingHttpHeaders, encodings: Encoding[]): Encoding | null {
  const accepted = headers['accept-encoding'] ?? ''
  return negotiate(accepted.toLowerCase().replaceAll('*', 'gzip'), encodings)
}

/** Whether the request's preconditions hold (RFC 9110 13.1.1 and 13.1.4). */
function isMet(headers: IncomingHttpHeaders, { etag, modifiedMs }: Content): boolean {
  const tags = headers['if-match'] ?? ''
  if (tags !== '' && tags !== '*' && !includesTag(tags, etag)) return false
  const isLater = modifiedMs > Date.parse(headers['if-unmodified-since'] ?? '')
  return !isLater
}

/** Whether the client has the content (RFC 9110 13.1.2 and 13.1.3) and may use what it has. */
function isHeld(headers: IncomingHttpHeaders, { etag, modifiedMs }: Content): boolean {
  if (headers['cache-control']?.includes('no-cache') === true) return false
  const tags = headers['if-none-match']
  if (tags !== undefined) return tags === '*' || includesTag(tags, etag)
  return modifiedMs <= Date.parse(headers['if-modified-since'] ?? '')
}

/** All tags are weak. A proxy may have dropped the mark. */
const includesTag = (tags: string, etag: string): boolean =>
  tags.split(',').some((tag) => etag === tag.trim() || etag === `W/${tag.trim()}`)
