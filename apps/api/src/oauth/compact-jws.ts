import type { KeyObject } from 'node:crypto'
import { compactVerify, errors } from 'jose'

/** Ours have about 700 characters, and assertions fewer. */
const TOKEN_CHARS_MAX = 8 * 1024

export type JsonObject = Readonly<Record<string, unknown>>

interface CompactJws {
  readonly header: JsonObject
  readonly claims: JsonObject
}

/**
 * Decodes a signed token without verifying it; null if it is malformed. Stricter than jose: it refuses white space,
 * stray bits in a last character and a BOM, so a token has one spelling. It also refuses duplicate keys, because two
 * readers could each take another.
 */
export function readCompact(token: string): CompactJws | null {
  if (token.length > TOKEN_CHARS_MAX) return null
  const [header, payload, signature, ...rest] = token.split('.').map(canonicalBytes)
  if (!header || !payload || !signature || rest.length > 0) return null
  const [read, claims] = [parseObject(header), parseObject(payload)]
  return read && claims && { header: read, claims }
}

/** Verifies the RS256 signature. The key determines the algorithm, and the header must agree (spec 5.2). */
export async function isSignedBy(key: KeyObject, token: string): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['RS256'] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}

function canonicalBytes(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseObject(bytes: Buffer): JsonObject | null {
  try {
    const text = utf8.decode(bytes)
    // The reviver visits each remaining key, and the root under an empty key.
    let keysKept = -1
    const value: unknown = JSON.parse(text, function count(this: unknown, _key, member: unknown) {
      if (!Array.isArray(this)) keysKept += 1
      return member
    })
    return isObject(value) && keysKept === keysWritten(text) ? value : null
  } catch {
    return null
  }
}

/** In valid JSON, a string before a colon is a key. The pattern consumes each string whole, so none can hide a key. */
const keysWritten = (json: string): number =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
