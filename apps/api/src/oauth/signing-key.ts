import { createPublicKey, type KeyObject } from 'node:crypto'
import type { SigningJwk } from '@merchant-payments/core'
import { type JWTPayload, SignJWT } from 'jose'

export interface Signer {
  readonly jwk: SigningJwk
  readonly publicKey: KeyObject
  /** Signs on the thread pool: an RSA signature takes a third of a millisecond. */
  sign(typ: string, claims: JWTPayload): Promise<string>
}

/** Creates the service's only signer (spec 5.5). Call it once, because importing a key costs more than using it. */
export function createSigner({ kid, privateKey }: { kid: string; privateKey: KeyObject }): Signer {
  const publicKey = createPublicKey(privateKey)
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  return {
    jwk: { kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e },
    publicKey,
    sign: (typ, claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ, kid }).sign(privateKey),
  }
}
