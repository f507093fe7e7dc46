import { staffRoles } from '@merchant-payments/contract'
import { z } from 'zod'
import type { Context } from './context.ts'
import { type SigningKey, signingKey } from './rsa-key.ts'
import { referencedText, type Secret, secret } from './secret.ts'
import { calledUrl, ownOrigin } from './url.ts'

const printable = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 printable characters, no spaces')

const most = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

/** Of one staff member and day (UTC): how many, and how much in the smallest unit of each currency. */
const limit = z.strictObject({
  count: most.optional(),
  amount: z.strictObject({ XAF: most.optional(), EUR: most.optional() }).optional(),
})

const limitsOfRole = z.strictObject({ refunds: limit.optional(), rulings: limit.optional() })

/** Spec 1.6: the staff's surface exists where this does. Who staff are, an OpenID provider says. */
export const staff = ({ env }: Context) =>
  z
    .strictObject({
      // OpenID Connect Discovery 2: an issuer has neither a query nor a fragment.
      issuer: calledUrl.refine((text) => !text.includes('?'), 'must not hold a query'),
      client_id: printable,
      client_secret: secret(env).optional(),
      /** In place of client_secret (private_key_jwt): a private JWK or PEM, whose public part the provider knows. */
      client_key: referencedText({ env, literal: false }).pipe(signingKey).optional(),
      /** Of the ID token: a text, or a list of texts. */
      role_claim: z.string().min(1).max(255).default('roles'),
      // A map, so that the values of the claim stay as they are spelled.
      roles: z
        .record(z.string().min(1).max(255), z.enum(staffRoles))
        .transform((roles) => new Map(Object.entries(roles)))
        .refine((roles) => roles.size > 0, 'must name a role'),
      /** Grave changes take a sign-in that is no older. */
      step_up: z
        .strictObject({
          max_age_sec: z.int().min(60).max(86_400),
          /** Of the ID token's `acr`: one of them, where any are named. */
          acr_values: z.array(printable).min(1).optional(),
        })
        .optional(),
      /** What is not named is not limited. */
      limits: z
        .strictObject({ operator: limitsOfRole.optional(), admin: limitsOfRole.optional() })
        .default({}),
      /** Where staff find the dashboard, if that is not public_base_url. */
      dashboard_base_url: ownOrigin.optional(),
      /** The built dashboard, where the API is to serve it under /dash/. */
      dashboard_dir: z.string().min(1).optional(),
    })
    // Of a faulty file too, so that one run says all.
    .superRefine(oneCredential, { when: () => true })
    .transform(({ client_secret, client_key, ...rest }) => ({
      ...rest,
      credential: credentialOf(client_secret, client_key),
    }))

type Credential =
  | { readonly kind: 'secret'; readonly secret: Secret }
  | { readonly kind: 'key'; readonly key: SigningKey }

function oneCredential(staffSettings: unknown, ctx: z.RefinementCtx): void {
  if (typeof staffSettings !== 'object' || staffSettings === null) return
  const hasSecret = Object.hasOwn(staffSettings, 'client_secret')
  const hasKey = Object.hasOwn(staffSettings, 'client_key')
  if (hasSecret && hasKey) {
    ctx.addIssue({ code: 'custom', path: ['client_key'], message: 'must not be given beside client_secret' })
  }
  if (!hasSecret && !hasKey) {
    ctx.addIssue({ code: 'custom', path: ['client_secret'], message: 'is required, or client_key' })
  }
}

function credentialOf(clientSecret: Secret | undefined, key: SigningKey | undefined): Credential {
  if (key !== undefined) return { kind: 'key', key }
  if (clientSecret !== undefined) return { kind: 'secret', secret: clientSecret }
  throw new Error('a client of staff without a credential passed its check')
}
