import { createHash, createPublicKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { rsaFault } from '@merchant-payments/config'
import { exitCodes, Failure } from './failure.ts'

/** The service refuses shorter keys. */
const MODULUS_BITS = 2048

export interface PublicKey {
  readonly kid: string
  readonly publicJwk: JsonWebKey
}

export interface KeyPair extends PublicKey {
  /** PKCS#8. */
  readonly privatePem: string
  readonly privateJwk: JsonWebKey
}

/** Makes an RSA key pair. The default `kid` is the thumbprint of RFC 7638. */
export async function createKeyPair(kid?: string): Promise<KeyPair> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })
  const named = publicKeyOf(publicKey, kid)
  return {
    ...named,
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateJwk: { ...privateKey.export({ format: 'jwk' }), kid: named.kid },
  }
}

/** Reads a public key that a merchant has sent, as a JWK or a PEM. Refuses a private one, and one that the service refuses. */
export function readPublicKey(text: string): PublicKey {
  if (isPrivate(text)) throw privateKeySent()
  const { key, kid } = keyIn(text)
  const fault = rsaFault(key)
  if (fault !== null) throw new Failure(`the public key ${fault}`, exitCodes.usage)
  return publicKeyOf(key, kid)
}

/** Reads the public part of a key, public or private, as a JWK or a PEM. */
export function publicPartOf(text: string): PublicKey {
  const { key, kid } = keyIn(text)
  return publicKeyOf(key, kid)
}

/** @throws Failure for a key that is not RSA */
function keyIn(text: string): { readonly key: KeyObject; readonly kid: string | undefined } {
  try {
    const jwk = jwkIn(text)
    const key = jwk === undefined ? createPublicKey(text) : createPublicKey({ key: jwk, format: 'jwk' })
    if (key.asymmetricKeyType === 'rsa')
      return { key, kid: typeof jwk?.['kid'] === 'string' ? jwk['kid'] : undefined }
  } catch {
    // The parser's message could quote the key.
  }
  throw notAKey()
}

function isPrivate(text: string): boolean {
  if (/-BEGIN [A-Z ]*PRIVATE KEY-/.test(text)) return true
  try {
    return 'd' in (jwkIn(text) ?? {})
  } catch {
    return false
  }
}

const jwkIn = (text: string): JsonWebKey | undefined =>
  text.trimStart().startsWith('{') ? (JSON.parse(text) as JsonWebKey) : undefined

function publicKeyOf(key: KeyObject, kid: string | undefined): PublicKey {
  const { kty, n, e } = key.export({ format: 'jwk' })
  const named = kid ?? createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
  return { kid: named, publicJwk: { kty, n, e, kid: named, alg: 'RS256', use: 'sig' } } as PublicKey
}

/** Who has got the merchant's private key can act as the merchant. */
const privateKeySent = () =>
  new Failure('this is a private key, which only the merchant may have', exitCodes.usage, [
    'the merchant must make a new key, because this one is no longer secret, and send its public part alone',
  ])

const notAKey = () => new Failure('the public key must be RSA, as a JWK or a PEM', exitCodes.usage)
