import { staffRoles } from '@merchant-payments/contract'
import { z } from 'zod'
import type { Context } from './context.ts'
import { rsaBounds, type SigningKey, signingKey } from './rsa-key.ts'
import { referencedText, type Secret, secret } from './secret.ts'
import { setting } from './setting.ts'
import { calledUrl, ownOrigin } from './url.ts'

const printable = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must have 1 to 255 printable characters, no spaces')

const most = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

const unlimited = 'no limit'

const sumIn = (unit: string) => setting({ description: `The sum, in ${unit}.`, absent: unlimited })

/** Limits per staff member and day (UTC): a count, and an amount in each currency's smallest unit. */
const limit = z.strictObject({
  count: most
    .optional()
    .meta(setting({ description: 'How many per staff member and day.', absent: unlimited })),
  amount: z
    .strictObject({ XAF: most.optional().meta(sumIn('francs')), EUR: most.optional().meta(sumIn('cents')) })
    .optional()
    .meta(
      setting({ description: 'How much per staff member and day (UTC), by currency.', absent: unlimited }),
    ),
})

const limitsOfRole = z.strictObject({
  refunds: limit
    .optional()
    .meta(setting({ description: 'Limits of refunds that the role creates.', absent: unlimited })),
  rulings: limit
    .optional()
    .meta(setting({ description: 'Limits of rulings on stuck charges.', absent: unlimited })),
})

const ofRole = (role: string) =>
  limitsOfRole.optional().meta(setting({ description: `Limits of the role ${role}.`, absent: unlimited }))

const roleSettings = {
  role_claim: z
    .string()
    .min(1)
    .max(255)
    .default('roles')
    .meta(
      setting({ description: 'The claim of the ID token that holds the role: a text or a list of texts.' }),
    ),
  // A map, because camelCase would change the claim's values.
  roles: z
    .record(z.string().min(1).max(255), z.enum(staffRoles))
    .transform((roles) => new Map(Object.entries(roles)))
    .refine((roles) => roles.size > 0, 'must map at least one role')
    .meta(
      setting({
        description: 'The role of each value of the claim: `viewer`, `operator` or `admin`.',
      }),
    ),
  step_up: z
    .strictObject({
      max_age_sec: z
        .int()
        .min(60)
        .max(86_400)
        .meta(setting({ description: 'The greatest age of the sign-in.', unit: 's' })),
      acr_values: z
        .array(printable)
        .min(1)
        .optional()
        .meta(setting({ description: 'The accepted values of the ID token’s `acr`.', absent: 'any' })),
    })
    .optional()
    .meta(
      setting({
        description: 'Grave changes require a sign-in no older than this.',
        absent: 'any sign-in will do',
      }),
    ),
}

const limitSettings = {
  limits: z
    .strictObject({ operator: ofRole('operator'), admin: ofRole('admin') })
    .default({})
    .meta(
      setting({ description: 'Limits of what staff may do in a day. One that is not named does not apply.' }),
    ),
}

const dashboardSettings = {
  dashboard_base_url: ownOrigin.optional().meta(
    setting({
      description: 'The address of the dashboard, if it has a host of its own.',
      absent: '`public_base_url`',
    }),
  ),
  dashboard_dir: z
    .string()
    .min(1)
    .optional()
    .meta(
      setting({
        description:
          'The folder of the built dashboard, which the api reads at its start and serves under `/dash/`.',
        absent: 'the api serves no dashboard',
      }),
    ),
}

/** Spec 1.6: the API serves the staff's surface if this is set. An OpenID provider identifies staff. */
export const staff = ({ env }: Context) =>
  z
    .strictObject({
      // OpenID Connect Discovery 2: an issuer has neither a query nor a fragment.
      issuer: calledUrl
        .refine((text) => !text.includes('?'), 'must not contain a query')
        .meta(setting({ description: 'The OpenID provider that signs staff in.', section: '5.6' })),
      client_id: printable.meta(setting({ description: 'The client id of the dashboard at the provider.' })),
      client_secret: secret(env)
        .optional()
        .meta(setting({ description: 'Its client secret.', absent: '`client_key` is then required' })),
      client_key: referencedText({ env, literal: false })
        .pipe(signingKey)
        .optional()
        .meta(
          setting({
            description: `Replaces \`client_secret\` (private_key_jwt): a private JWK or PEM whose public part the provider knows. It has ${rsaBounds}.`,
            absent: '`client_secret` is then required',
          }),
        ),
      ...roleSettings,
      ...limitSettings,
      ...dashboardSettings,
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
