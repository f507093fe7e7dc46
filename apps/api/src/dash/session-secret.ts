import { type ClientSecretKey, mintSecret } from '@merchant-payments/core'
import { tagsOf } from './tags.ts'

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

export function sessionSecretsOf(keys: readonly ClientSecretKey[]): SessionSecrets {
  const tags = tagsOf(keys, 'merchant-payments staff_session 1')
  return {
    mint: () => {
      const random = mintSecret()
      return `${random}.${tags.of(random)}`
    },
    tagOf: (secret) => {
      const [random = '', given = ''] = secret.split('.')
      return tags.isOf(random, given) ? given : null
    },
  }
}
