import { z } from 'zod'
import type { Environment } from './secret.ts'
import { referencedText, secretOf } from './secret.ts'

/** As many as HMAC-SHA-256 makes of it: a shorter one could be guessed from a secret that was derived. */
const KEY_BYTES_MIN = 32
/** A secret names its key by up to four digits. */
const VERSION_MAX = 9_999

/** What client secrets are derived from: the first derives, the others are still known. */
export const clientSecretKeys = (env: Environment) =>
  z
    .array(
      z.strictObject({
        version: z.int().min(1).max(VERSION_MAX),
        key: referencedText({ env, literal: false })
          .refine(
            (text) => Buffer.byteLength(text) >= KEY_BYTES_MIN,
            `must have at least ${KEY_BYTES_MIN} bytes`,
          )
          .transform(secretOf),
      }),
    )
    .min(1)
    .refine((keys) => new Set(keys.map(({ version }) => version)).size === keys.length, {
      message: 'has two keys of one version',
    })
