import type { JsonWebKey, KeyObject, webcrypto } from 'node:crypto'

/**
 * Signs with RSASSA-PKCS1-v1_5 and SHA-256, for a key that never leaves a key management service.
 *
 * @example
 * ```ts
 * const sign: Sign = async (signingInput) => {
 *   const command = new SignCommand({
 *     KeyId: keyArn,
 *     Message: signingInput,
 *     MessageType: 'RAW',
 *     SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
 *   })
 *   const { Signature } = await kms.send(command)
 *   return Signature ?? new Uint8Array()
 * }
 * ```
 */
export type Sign = (signingInput: Uint8Array) => Promise<Uint8Array>

/**
 * The merchant's RSA private key: a JWK (object or JSON text), PKCS#8 PEM text, a `CryptoKey`, a `KeyObject`, or a
 * function that signs.
 *
 * @example
 * ```ts
 * const privateKey: PrivateKey = await readFile('merchant.pem', 'utf8')
 * ```
 */
export type PrivateKey = string | JsonWebKey | webcrypto.CryptoKey | KeyObject | Sign

export interface SigningKey {
  readonly sign: Sign
  /** The `kid` of a JWK, if it has one. */
  readonly keyId: string | undefined
}

const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** Throws for a key that is visibly wrong, so that it fails at start and not at the first payment. */
export function readPrivateKey(key: PrivateKey): SigningKey {
  if (typeof key === 'function') return { sign: key, keyId: undefined }
  if (typeof key === 'string') return key.trimStart().startsWith('{') ? ofJwk(parseJwk(key)) : ofPem(key)
  if (isKeyObject(key)) return ofKeyObject(key)
  if (isCryptoKey(key)) return ofCryptoKey(key)
  return ofJwk(key)
}

const isKeyObject = (key: object): key is KeyObject => 'export' in key && typeof key.export === 'function'

const isCryptoKey = (key: object): key is webcrypto.CryptoKey => 'algorithm' in key && 'usages' in key

function ofKeyObject(key: KeyObject): SigningKey {
  if (key.type !== 'private' || key.asymmetricKeyType !== 'rsa') throw notAnRsaPrivateKey()
  return ofJwk(key.export({ format: 'jwk' }))
}

function ofCryptoKey(key: webcrypto.CryptoKey): SigningKey {
  if (key.type !== 'private' || key.algorithm.name !== rs256.name || !key.usages.includes('sign')) {
    throw new TypeError('privateKey must be a private RSASSA-PKCS1-v1_5 key with SHA-256 and the usage sign')
  }
  return { sign: signWith(() => Promise.resolve(key)), keyId: undefined }
}

function ofJwk(jwk: JsonWebKey): SigningKey {
  if (jwk.kty !== 'RSA' || jwk.d === undefined) throw notAnRsaPrivateKey()
  // Keeps only the numbers, because use, key_ops and ext could make WebCrypto refuse a valid key.
  const { kty, n, e, d, p, q, dp, dq, qi } = jwk
  const numbers = { kty, n, e, d, p, q, dp, dq, qi } as webcrypto.JsonWebKey
  const kid = jwk['kid']
  return {
    sign: signWith(() => crypto.subtle.importKey('jwk', numbers, rs256, false, ['sign'])),
    keyId: typeof kid === 'string' ? kid : undefined,
  }
}

function ofPem(pem: string): SigningKey {
  const bytes = pkcs8Bytes(pem)
  return {
    sign: signWith(() => crypto.subtle.importKey('pkcs8', bytes, rs256, false, ['sign'])),
    keyId: undefined,
  }
}

function signWith(importKey: () => Promise<webcrypto.CryptoKey>): Sign {
  let imported: Promise<webcrypto.CryptoKey> | undefined
  return async (signingInput) => {
    imported ??= importKey().catch(() => {
      throw notAnRsaPrivateKey()
    })
    return new Uint8Array(await crypto.subtle.sign(rs256.name, await imported, signingInput))
  }
}

function parseJwk(text: string): JsonWebKey {
  try {
    return JSON.parse(text) as JsonWebKey
  } catch {
    // The parser's own message would quote the text, which is the key.
    throw new TypeError('privateKey looks like a JWK but is not JSON')
  }
}

/** Environment variables often have a PEM's line breaks as the two characters `\n`. */
function pkcs8Bytes(pem: string): Uint8Array<ArrayBuffer> {
  if (pem.includes('-----BEGIN RSA PRIVATE KEY-----')) {
    throw new TypeError(
      'privateKey is PKCS#1 PEM; convert it: openssl pkcs8 -topk8 -nocrypt -in key.pem -out key.pkcs8.pem',
    )
  }
  if (pem.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----')) {
    throw new TypeError('privateKey is encrypted; decrypt it: openssl pkey -in key.pem -out key.pkcs8.pem')
  }
  const base64 = /-----BEGIN PRIVATE KEY-----(.+)-----END PRIVATE KEY-----/s.exec(pem)?.[1]
  if (base64 === undefined) throw notAnRsaPrivateKey()
  try {
    return Uint8Array.from(atob(base64.replaceAll(/\\n|\s/g, '')), (char) => char.charCodeAt(0))
  } catch {
    throw notAnRsaPrivateKey()
  }
}

const notAnRsaPrivateKey = () =>
  new TypeError(
    'privateKey must be an RSA private key: a JWK, PKCS#8 PEM, a CryptoKey, a KeyObject or a function',
  )
