import { createHash, createPublicKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
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

/** Reads a public key that a merchant has sent, as a JWK or a PEM. */
export function readPublicKey(text: string): PublicKey {
  try {
    if (!text.trimStart().startsWith('{')) return publicKeyOf(createPublicKey(text), undefined)
    const jwk = JSON.parse(text) as JsonWebKey
    const kid = typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined
    return publicKeyOf(createPublicKey({ key: jwk, format: 'jwk' }), kid)
  } catch (error) {
    if (error instanceof Failure) throw error
    // The parser's message could quote the key.
    throw notAKey()
  }
}

function publicKeyOf(key: KeyObject, kid: string | undefined): PublicKey {
  if (key.asymmetricKeyType !== 'rsa') throw notAKey()
  const { kty, n, e } = key.export({ format: 'jwk' })
  const named = kid ?? createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
  return { kid: named, publicJwk: { kty, n, e, kid: named, alg: 'RS256', use: 'sig' } } as PublicKey
}

const notAKey = () => new Failure('the public key must be RSA, as a JWK or a PEM', exitCodes.usage)
