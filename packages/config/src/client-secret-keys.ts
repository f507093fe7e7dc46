import { z } from 'zod'
import type { Environment } from './secret.ts'
import { referencedText, secretOf } from './secret.ts'
import { setting } from './setting.ts'

/** The output length of HMAC-SHA-256. A shorter key could be guessed from a derived secret. */
const KEY_BYTES_MIN = 32
const VERSION_MAX = 9_999

/** The keys that client secrets are derived from. The first one derives new secrets; the others only verify. */
export const clientSecretKeys = (env: Environment) =>
  z
    .array(
      z.strictObject({
        version: z
          .int()
          .min(1)
          .max(VERSION_MAX)
          .meta(setting({ description: 'The number of the key. No two keys share one.' })),
        key: referencedText({ env, literal: false })
          .refine(
            (text) => Buffer.byteLength(text) >= KEY_BYTES_MIN,
            `must have at least ${KEY_BYTES_MIN} bytes`,
          )
          .transform(secretOf)
          .meta(
            setting({
              description: `The key, of at least ${KEY_BYTES_MIN} bytes. Whoever knows it can derive every client secret.`,
            }),
          ),
      }),
    )
    .min(1)
    .refine((keys) => new Set(keys.map(({ version }) => version)).size === keys.length, {
      message: 'has two keys with the same version',
    })
    .meta(
      setting({
        description:
          'The keys that client secrets are derived from. The first one derives new secrets; the others only verify.',
        section: '2.4',
      }),
    )
