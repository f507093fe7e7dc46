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

/** Limits per staff member and day (UTC): a count, and an amount in each currency's smallest unit. */
const limit = z.strictObject({
  count: most.optional(),
  amount: z.strictObject({ XAF: most.optional(), EUR: most.optional() }).optional(),
})

const limitsOfRole = z.strictObject({ refunds: limit.optional(), rulings: limit.optional() })

/** Spec 1.6: the API serves the staff's surface if this is set. An OpenID provider identifies staff. */
export const staff = ({ env }: Context) =>
  z
    .strictObject({
      // OpenID Connect Discovery 2: an issuer has neither a query nor a fragment.
      issuer: calledUrl.refine((text) => !text.includes('?'), 'must not contain a query'),
      client_id: printable,
      client_secret: secret(env).optional(),
      /** Replaces client_secret (private_key_jwt): a private JWK or PEM whose public part the provider knows. */
      client_key: referencedText({ env, literal: false }).pipe(signingKey).optional(),
      /** The claim of the ID token that holds the role: a text or a list of texts. */
      role_claim: z.string().min(1).max(255).default('roles'),
      // A map, because camelCase would change the claim's values.
      roles: z
        .record(z.string().min(1).max(255), z.enum(staffRoles))
        .transform((roles) => new Map(Object.entries(roles)))
        .refine((roles) => roles.size > 0, 'must map at least one role'),
      /** Grave changes require a sign-in no older than this. */
      step_up: z
        .strictObject({
          max_age_sec: z.int().min(60).max(86_400),
          /** Accepted values of the ID token's `acr`. Default: any. */
          acr_values: z.array(printable).min(1).optional(),
        })
        .optional(),
      /** A limit that is not named does not apply. */
      limits: z
        .strictObject({ operator: limitsOfRole.optional(), admin: limitsOfRole.optional() })
        .default({}),
      dashboard_base_url: ownOrigin.optional(),
      dashboard_dir: z.string().min(1).optional(),
    })
    // Runs on a faulty file too, so that one run reports every fault.
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
    ctx.addIssue({
      code: 'custom',
      path: ['client_key'],
      message: 'must not be given together with client_secret',
    })
  }
  if (!hasSecret && !hasKey) {
    ctx.addIssue({
      code: 'custom',
      path: ['client_secret'],
      message: 'is required unless client_key is given',
    })
  }
}

function credentialOf(clientSecret: Secret | undefined, key: SigningKey | undefined): Credential {
  if (key !== undefined) return { kind: 'key', key }
  if (clientSecret !== undefined) return { kind: 'secret', secret: clientSecret }
  throw new Error('staff has neither client_secret nor client_key')
}
