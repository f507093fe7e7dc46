import { constants, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

type Key = KeyObject | string | Buffer

/** JSON, or text and bytes as they are. */
type Part = object | string | Uint8Array

export const rsaKeys = (modulusLength = 2048) => generateKeyPairSync('rsa', { modulusLength })

/** Signs any input, independently of our code and of jose. */
export function forge(
  privateKey: KeyObject,
  payload: Part,
  header: Part = { alg: 'RS256', typ: 'JWT' },
): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`
}

/** Like `forge`, with an algorithm other than the registered key's. */
export function forgeBy(alg: 'RS384' | 'PS256' | 'HS256' | 'none', key: Key, payload: Part): string {
  const input = `${encode({ alg })}.${encode(payload)}`
  return `${input}.${signatures[alg](Buffer.from(input), key).toString('base64url')}`
}

const signatures = {
  RS384: (input: Buffer, key: Key) => sign('sha384', input, key),
  PS256: (input: Buffer, key: Key) =>
    sign('sha256', input, {
      key: typeof key === 'string' ? Buffer.from(key) : key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    } as Parameters<typeof sign>[2]),
  HS256: (input: Buffer, key: Key) => createHmac('sha256', key).update(input).digest(),
  none: () => Buffer.alloc(0),
}

export const encode = (part: Part): string =>
  Buffer.from(typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part)).toString(
    'base64url',
  )

// Each character is six bits, and the last one of 256 bytes has four unused bits.
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The same signature in another spelling. */
export const withStrayBits = (token: string): string =>
  `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.slice(-1)) + 1] ?? ''}`

/** The claims of a valid assertion. */
export const claimsOf = (clientId: string, audience: string, nowSec: number) => ({
  iss: clientId,
  sub: clientId,
  aud: audience,
  jti: randomUUID(),
  exp: nowSec + 60,
})
