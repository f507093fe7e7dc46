import { z } from 'zod'
import type { Context } from './context.ts'
import { publicJwk } from './rsa-key.ts'
import { referencedText, secretOf } from './secret.ts'
import { unique } from './unique.ts'
import { calledUrl } from './url.ts'

/** Spec 5.4. */
export const scopes = ['payments:read', 'payments:write'] as const

export type Scope = (typeof scopes)[number]

/** Spec 5.3: the audience of tokens for /v1. */
export const SERVICE_AUDIENCE = 'service:v1'

const identifier = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must have 1 to 64 of A-Z a-z 0-9 _ . -')

const audience = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 printable characters, no spaces')

export const merchantClient = (context: Context) =>
  z.strictObject({
    client_id: identifier,
    name: z.string().min(1).max(200),
    jwks: z
      .strictObject({ keys: z.array(publicJwk).min(1).check(unique('kid')) })
      .transform(({ keys }) => new Map(keys.map(({ kid, key }) => [kid, key]))),
    scopes: z.array(z.enum(scopes)),
    // Spec 5.1.3: a client without this audience could never call /v1.
    audiences: z
      .array(audience)
      .refine((audiences) => audiences.includes(SERVICE_AUDIENCE), `must include ${SERVICE_AUDIENCE}`),
    publishable_key: z.string().regex(/^pk_[A-Za-z0-9_]{1,128}$/, 'must be pk_ and letters, digits or _'),
    webhooks: z.array(endpoint(context)).check(unique('id')).default([]),
  })

/** Spec 6.4: with two secrets, a rotation has no moment at which verification fails. */
const endpoint = (context: Context) =>
  z.strictObject({
    id: identifier,
    url: calledUrl,
    secrets: z.array(endpointSecret(context)).min(1).max(2),
  })

const endpointSecret = ({ env }: Context) => referencedText({ env, literal: true }).transform(secretOf)
