import type { Config } from '@merchant-payments/config'
import { type Clock, type MerchantId, payerNumbersOf, type Registration } from '@merchant-payments/core'
import type { Log } from '@merchant-payments/telemetry'
import type { StaffParts } from './index.ts'
import { createIdentityProvider } from './identity-provider.ts'
import { sessionSecretsOf } from './session-secret.ts'
import { signInAttemptsOf } from './sign-in-attempt.ts'

type Databases = Pick<StaffParts, 'db' | 'signInDb' | 'standby'>

/** Assembles the staff's surface from the deployment's configuration. */
export function dashOf(
  config: Config,
  staff: NonNullable<Config['staff']>,
  { clock, log, ...databases }: Databases & { readonly clock: Clock; readonly log: Log },
): StaffParts {
  const stepUp =
    staff.stepUp === undefined
      ? null
      : { maxAgeSec: staff.stepUp.maxAgeSec, acrValues: staff.stepUp.acrValues ?? [] }
  const keys = config.clientSecretKeys.map(({ version, key }) => ({ version, key: key.reveal() }))
  const origin = staff.dashboardBaseUrl ?? config.publicBaseUrl
  return {
    ...databases,
    roles: staff.roles,
    sessionSecrets: sessionSecretsOf(keys),
    signInAttempts: signInAttemptsOf(keys),
    staffLimits: staff.limits,
    statements: config.statements,
    stepUp,
    origin,
    payerNumbers: payerNumbersOf(keys, clock),
    identityProvider: createIdentityProvider({
      issuer: staff.issuer,
      clientId: staff.clientId,
      credential: staff.credential,
      roleClaim: staff.roleClaim,
      stepUp,
      redirectUri: `${origin}/dash/v1/callback`,
      clock,
      log,
    }),
    registrations: config.merchantClients.map(registrationOf),
  }
}

const registrationOf = (client: Config['merchantClients'][number]): Registration => ({
  id: client.clientId as MerchantId,
  name: client.name,
  scopes: client.scopes,
  keyIds: [...client.jwks.keys()].filter((kid) => kid !== undefined),
  endpoints: client.webhooks.map(({ id, url, secrets }) => ({ id, url, secrets: secrets.length })),
})
