import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { setting } from './setting.ts'

const MODULUS_BITS_MIN = 2_048
/** docs/spec-gaps.md, "the size of an RSA key". */
const MODULUS_BITS_MAX = 8_192
/** FIPS 186-5 requires more than 2^16. With a smaller exponent, in the extreme 1, others can forge signatures. */
const PUBLIC_EXPONENT_MIN = 65_537n
/** The time of a verification grows with the length of the exponent. */
const PUBLIC_EXPONENT_MAX = 2n ** 32n - 1n

const lengths = `${MODULUS_BITS_MIN} to ${MODULUS_BITS_MAX} bits`
const exponents = `a public exponent from ${PUBLIC_EXPONENT_MIN} to ${PUBLIC_EXPONENT_MAX}`
/** What `rsaFault` accepts, for the descriptions of settings. */
export const rsaBounds = `${lengths}, with ${exponents}`

const kid = z.string().min(1).max(200)

export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** The service's own key (spec 5.5): a private JWK as JSON, or a PEM. */
export const signingKey = z.string().transform((text, ctx): SigningKey => {
  const key = parsePrivateKey(text)
  const fault =
    key === null ? 'must be a private RSA key, as a JWK or a PKCS#8 PEM' : rsaFault(key.privateKey)
  if (key !== null && fault === null) return key
  ctx.addIssue(fault ?? 'is refused')
  return z.NEVER
})

const unread = setting({ description: 'Accepted, and not read.', absent: 'none' })

/** A merchant's public key. The schema is strict, so it refuses the private parts of a key by name. */
export const publicJwk = z
  .strictObject({
    kty: z.literal('RSA').meta(setting({ description: 'The type of the key.' })),
    n: z.string().meta(setting({ description: 'The modulus, in base64url.' })),
    e: z.string().meta(setting({ description: 'The public exponent, in base64url.' })),
    kid: kid
      .optional()
      .meta(setting({ description: 'The id of the key.', section: '5.2', absent: 'its thumbprint' })),
    alg: z.literal('RS256').optional().meta(unread),
    use: z.literal('sig').optional().meta(unread),
    key_ops: z.array(z.literal('verify')).optional().meta(unread),
    ext: z.boolean().optional().meta(unread),
  })
  .transform((jwk, ctx) => {
    const key = attempt(() => createPublicKey({ key: { kty: jwk.kty, n: jwk.n, e: jwk.e }, format: 'jwk' }))
    const fault = key === null ? 'must be a public RSA key' : rsaFault(key)
    if (key !== null && fault === null) return { kid: jwk.kid ?? thumbprint(key), key }
    ctx.addIssue(fault ?? 'is refused')
    return z.NEVER
  })

function parsePrivateKey(text: string): SigningKey | null {
  return attempt(() => {
    if (!text.trimStart().startsWith('{')) return named(createPrivateKey(text))
    const jwk = JSON.parse(text) as JsonWebKey
    return named(createPrivateKey({ key: jwk, format: 'jwk' }), kid.optional().parse(jwk['kid']))
  })
}

const named = (privateKey: KeyObject, given?: string): SigningKey => ({
  kid: given ?? thumbprint(createPublicKey(privateKey)),
  privateKey,
})

/**
 * The modulus of a private key's text or of a public JWK, in base64url and without leading zeros: two keys with the same one
 * have the same owner.
 *
 * @returns null for what is no RSA key
 */
export function modulusIn(key: object | string): string | null {
  const read = attempt(() =>
    typeof key === 'string'
      ? createPublicKey(parsePrivateKey(key)?.privateKey ?? '')
      : createPublicKey({ key: key as JsonWebKey, format: 'jwk' }),
  )
  return read?.export({ format: 'jwk' }).n ?? null
}

function thumbprint(publicKey: KeyObject): string {
  const { e, kty, n } = publicKey.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
}

/** The bounds of every RSA key: a merchant's, the service's own and the staff's. @returns null for a good key */
export function rsaFault(key: KeyObject): string | null {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== 'rsa') return 'must be an RSA key'
  if (modulusLength < MODULUS_BITS_MIN || modulusLength > MODULUS_BITS_MAX) {
    return `must have ${lengths}`
  }
  return publicExponent < PUBLIC_EXPONENT_MIN || publicExponent > PUBLIC_EXPONENT_MAX
    ? `must have ${exponents}`
    : null
}

// The errors of node:crypto and JSON.parse can quote their input, which here is a key.
function attempt<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
