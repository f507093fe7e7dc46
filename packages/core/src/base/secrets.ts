import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { CheckoutSessionId, PaymentIntentId } from './ids.ts'

const SECRET_BYTES = 32

type SecretId = PaymentIntentId | CheckoutSessionId

export interface ClientSecretKey {
  readonly version: number
  readonly key: string
}

/** Each secret is derived from a deployment key and the object's id, so a copy of the database opens no payment. */
export interface ClientSecrets {
  /** The secret under the first key. Clients of the compatible API split it on `_secret_`. */
  readonly of: (id: SecretId) => string
  /** The secret under the key that `given` names, or under the first key if that version is not configured. */
  readonly expected: (id: SecretId, given: string) => string
  readonly fill: (body: string) => string
}

/** Separates these secrets from any that are derived in another way later. */
const CONTEXT = 'merchant-payments client_secret 1'

export function clientSecretsOf(keys: readonly ClientSecretKey[]): ClientSecrets {
  const [first] = keys
  if (first === undefined) throw new RangeError('no key to derive client secrets from')
  const known = new Map(keys.map(({ version, key }) => [version, createSecretKey(key, 'utf8')]))
  const under = (id: SecretId, wanted: number): string => {
    const key = known.get(wanted)
    return key === undefined ? under(id, first.version) : derive(id, wanted, key)
  }
  return {
    of: (id) => under(id, first.version),
    expected: (id, given) => under(id, Number(VERSION.exec(given)?.[1] ?? first.version)),
    fill(body) {
      const own = OWN_ID.exec(body)?.[1]
      if (own === undefined || !body.includes(`${own}_secret_`)) return body
      return body.replaceAll(LEFT_OUT, (blank, id: string, version: string) =>
        id === own ? under(own as SecretId, Number(version)) : blank,
      )
    },
  }
}

const derive = (id: SecretId, version: number, key: KeyObject): string =>
  `${id}_secret_${version}v${createHmac('sha256', key).update(`${CONTEXT}\n${id}`).digest('base64url')}`

const VERSION = /_secret_(\d{1,4})v/
/** Every answer with a secret begins with its object's id, which no request can know in advance. */
const OWN_ID = /^\{"id":"((?:pi|cs)_[0-9a-f]{32})"/
const LEFT_OUT = /((?:pi|cs)_[0-9a-f]{32})_secret_(\d{1,4})v(?![\w-])/g
/** 32 bytes in base64url. */
const DERIVED_CHARS = 43

/** Removes the derived part of the secret before the answer is stored. The version of its key stays. */
export const withoutSecret = <A extends { readonly body: string }>(answer: A, secret: string): A => ({
  ...answer,
  body: answer.body.replaceAll(secret, secret.slice(0, -DERIVED_CHARS)),
})

export const mintBytes = (bytes: number): Buffer => randomBytes(bytes)

export const mintSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

/** Knowing one of the derived secrets reveals nothing about the others. */
export const deriveSecret = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(purpose).digest('base64url')

export const hashSecret = (secret: string): Buffer => digest(secret)

/** Takes the same time for any input, because the compared hashes have one length. */
export const isSameSecret = (given: string, kept: string): boolean =>
  timingSafeEqual(digest(given), digest(kept))

const digest = (text: string) => createHash('sha256').update(text).digest()
