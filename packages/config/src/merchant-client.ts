import { z } from 'zod'
import { brand } from './brand.ts'
import type { Context } from './context.ts'
import { publicJwk, rsaBounds } from './rsa-key.ts'
import { referencedText, secretOf } from './secret.ts'
import { notReserved } from './segment.ts'
import { setting } from './setting.ts'
import { unique } from './unique.ts'
import { calledUrl } from './url.ts'

/** Spec 5.4. */
export const scopes = ['payments:read', 'payments:write'] as const

export type Scope = (typeof scopes)[number]

/** Spec 5.3: the audience of tokens for /v1. */
export const SERVICE_AUDIENCE = 'service:v1'

const identifier = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must have 1 to 64 of A-Z a-z 0-9 _ . -')

export const clientId = identifier.check(notReserved)

const audience = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 printable characters, no spaces')

export const merchantClient = (context: Context) =>
  z.strictObject({
    client_id: clientId.meta(
      setting({
        description:
          'The merchant’s client id. It is also the merchant’s id in the database, and part of paths: `search`, `.` and `..` are refused.',
        section: '5.2',
      }),
    ),
    name: z
      .string()
      .min(1)
      .max(200)
      .meta(setting({ description: 'The merchant’s name, as payers see it.' })),
    brand,
    jwks: z
      .strictObject({
        keys: z
          .array(publicJwk)
          .min(1)
          .check(unique('kid'))
          .meta(
            setting({
              description: `RSA keys of ${rsaBounds}. With two or more, each needs a \`kid\`.`,
              section: '5.2',
            }),
          ),
      })
      .transform(({ keys }) => new Map(keys.map(({ kid, key }) => [kid, key])))
      .meta(setting({ description: 'The public keys of the merchant, as a JWK set.', section: '5.1.1' })),
    scopes: z
      .array(z.enum(scopes))
      .meta(setting({ description: 'The scopes that its tokens can have.', section: '5.4' })),
    // Spec 5.1.3: a client without this audience could never call /v1.
    audiences: z
      .array(audience)
      .refine((audiences) => audiences.includes(SERVICE_AUDIENCE), `must include ${SERVICE_AUDIENCE}`)
      .meta(
        setting({
          description: `The audiences that its tokens can have. \`${SERVICE_AUDIENCE}\` is one of them.`,
          section: '5.1.3',
        }),
      ),
    publishable_key: z
      .string()
      .regex(/^pk_[A-Za-z0-9_]{1,128}$/, 'must be pk_ and letters, digits or _')
      .meta(
        setting({
          description: 'The key of payers’ devices. It names the merchant and permits nothing by itself.',
          section: '5.6',
        }),
      ),
    webhooks: z
      .array(endpoint(context))
      .check(unique('id'))
      .default([])
      .meta(setting({ description: 'The merchant’s endpoints. Each gets every event.', section: '6.4' })),
  })

/** Spec 6.4: with two secrets, a rotation has no moment at which verification fails. */
const endpoint = (context: Context) =>
  z.strictObject({
    id: identifier.meta(
      setting({
        description: 'The endpoint’s name. Deliveries belong to it, so it stays when the URL changes.',
      }),
    ),
    url: calledUrl.meta(setting({ description: 'Where events are posted.', section: '6.3.2' })),
    secrets: z
      .array(endpointSecret(context))
      .min(1)
      .max(2)
      .meta(
        setting({
          description: 'What signs the events. Two during a rotation: each event then has both signatures.',
          section: '6.3.4',
        }),
      ),
  })

const endpointSecret = ({ env }: Context) => referencedText({ env, literal: true }).transform(secretOf)
