import { type ClientSecretKey, deriveSecret, isSameSecret, mintSecret } from '@merchant-payments/core'

/** Separates the tag from all else that is derived from the same keys. */
const CONTEXT = 'merchant-payments staff_session 1'

/**
 * Secrets of sessions, which the cookie holds. Each ends with a tag by a key of the deployment, so that a made-up
 * secret is known without a statement.
 */
export interface SessionSecrets {
  readonly mint: () => string
  /**
   * @returns the tag, which names the session and does not open it; null if no configured key made it. Secrets of
   *   earlier releases have none
   */
  readonly tagOf: (secret: string) => string | null
}

/** @param keys the first one makes new tags, and each one is accepted */
export function sessionSecretsOf(keys: readonly ClientSecretKey[]): SessionSecrets {
  const [first] = keys
  if (first === undefined) throw new RangeError('no key to tag the secrets of sessions with')
  return {
    mint: () => {
      const random = mintSecret()
      return `${random}.${tag(random, first)}`
    },
    tagOf: (secret) => {
      const [random = '', given = ''] = secret.split('.')
      return keys.some((key) => isSameSecret(given, tag(random, key))) ? given : null
    },
  }
}

const tag = (random: string, { key }: ClientSecretKey): string => deriveSecret(key, `${CONTEXT}\n${random}`)
