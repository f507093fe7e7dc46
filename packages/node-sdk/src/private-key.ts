import type { webcrypto } from 'node:crypto'

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

/** A private key as a JWK (RFC 7517), with its RSA numbers in base64url. */
export interface PrivateJwk {
  /** The key type: `RSA`. */
  readonly kty?: string
  /** The modulus. */
  readonly n?: string
  /** The public exponent. */
  readonly e?: string
  /** The private exponent. */
  readonly d?: string
  /** The first prime. */
  readonly p?: string
  /** The second prime. */
  readonly q?: string
  /** The first factor's exponent. */
  readonly dp?: string
  /** The second factor's exponent. */
  readonly dq?: string
  /** The coefficient. */
  readonly qi?: string
  /** The id of the key, which the assertion sends. */
  readonly kid?: unknown
  /** Ignored: the client signs with RS256. */
  readonly alg?: unknown
  /** Ignored. */
  readonly use?: unknown
  /** Ignored. */
  readonly key_ops?: unknown
  /** Ignored. */
  readonly ext?: unknown
}

/** The part of WebCrypto's `CryptoKey` that this package reads. */
export interface CryptoKeyLike {
  /** Must be `private`. */
  readonly type: string
  /** Must be RSASSA-PKCS1-v1_5. */
  readonly algorithm: {
    /** The name of the algorithm. */
    readonly name: string
  }
  /** Must include `sign`. */
  readonly usages: readonly string[]
}

/** The part of Node's `KeyObject` that this package uses. */
export interface KeyObjectLike {
  /** Must be `private`. */
  readonly type: string
  /** Must be `rsa`. */
  readonly asymmetricKeyType?: string | undefined
  /** Returns the key as a JWK. */
  export(options: {
    /** The format of the result. */
    format: 'jwk'
  }): object
}

/**
 * The merchant's RSA private key: a JWK (object or JSON text), PKCS#8 PEM (text or bytes), a `CryptoKey`, a `KeyObject`,
 * or a function that signs.
 *
 * @example
 * ```ts
 * const privateKey: PrivateKey = await readFile('merchant.pem', 'utf8')
 * ```
 */
export type PrivateKey = string | Uint8Array | PrivateJwk | CryptoKeyLike | KeyObjectLike | Sign

export interface SigningKey {
  readonly sign: Sign
  /** The `kid` of a JWK, if it has one. */
  readonly keyId?: string | undefined
}

const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** Throws for a key that is visibly wrong, so that it fails at start and not at the first payment. */
export function readPrivateKey(key: PrivateKey): SigningKey {
  if (typeof key === 'function') return { sign: key }
  if (typeof key === 'string') return key.trimStart().startsWith('{') ? ofJwk(parseJwk(key)) : ofPem(key)
  if (typeof key !== 'object' || key === null) throw notAnRsaPrivateKey()
  // What readFile returns without an encoding. A test runner may pass an array of another realm.
  if (ArrayBuffer.isView(key)) return readPrivateKey(new TextDecoder().decode(key))
  if (isKeyObject(key)) return ofKeyObject(key)
  if (isCryptoKey(key)) return ofCryptoKey(key)
  return ofJwk(key)
}

const isKeyObject = (key: object): key is KeyObjectLike => 'export' in key && typeof key.export === 'function'

const isCryptoKey = (key: object): key is CryptoKeyLike => 'algorithm' in key && 'usages' in key

function ofKeyObject(key: KeyObjectLike): SigningKey {
  if (key.type !== 'private' || key.asymmetricKeyType !== 'rsa') throw notAnRsaPrivateKey()
  return ofJwk(key.export({ format: 'jwk' }))
}

function ofCryptoKey(key: CryptoKeyLike): SigningKey {
  const { name, hash } = key.algorithm as { readonly name: string; readonly hash?: { readonly name: string } }
  const isRs256 = name === rs256.name && hash?.name === rs256.hash
  if (key.type !== 'private' || !isRs256 || !key.usages.includes('sign')) {
    throw new TypeError('privateKey must be a private RSASSA-PKCS1-v1_5 key with SHA-256 and the usage sign')
  }
  return { sign: signWith(() => Promise.resolve(key as webcrypto.CryptoKey)) }
}

function ofJwk(jwk: PrivateJwk): SigningKey {
  if (jwk.kty !== 'RSA' || jwk.d === undefined) throw notAnRsaPrivateKey()
  // Keeps only the numbers, because use, key_ops and ext could make WebCrypto refuse a valid key.
  const { kty, n, e, d, p, q, dp, dq, qi, kid } = jwk
  const numbers = { kty, n, e, d, p, q, dp, dq, qi } as webcrypto.JsonWebKey
  return {
    sign: signWith(() => crypto.subtle.importKey('jwk', numbers, rs256, false, ['sign'])),
    keyId: typeof kid === 'string' ? kid : undefined,
  }
}

function ofPem(pem: string): SigningKey {
  const bytes = pkcs8Bytes(pem)
  return { sign: signWith(() => crypto.subtle.importKey('pkcs8', bytes, rs256, false, ['sign'])) }
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

function parseJwk(text: string): PrivateJwk {
  try {
    return JSON.parse(text) as PrivateJwk
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
    'privateKey must be an RSA private key: a JWK, PKCS#8 PEM, a CryptoKey, a KeyObject or a function that signs',
  )
