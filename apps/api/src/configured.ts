import { type Config, ConfigError } from '@merchant-payments/config'
import {
  adoptSigningKey,
  clientSecretsOf,
  type Deployment,
  type MerchantId,
  merchantsOf,
  type RailCode,
  type Rails,
  railsOutOfReach,
  railsRefusingHost,
} from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import type { ApiDeps } from './app.ts'
import { openCheckoutPage } from './checkout-page/page.ts'
import { openDashboardPage } from './dashboard-page/page.ts'
import { dashOf } from './dash/open.ts'
import { createTokenVerifier } from './oauth/access-token.ts'
import { issuerOf } from './oauth/discovery.ts'
import type { Signer } from './oauth/signing-key.ts'
import type { Pools } from './pools.ts'

/** Resources that the process opened at start. */
interface Opened
  extends Pages,
    Pick<ApiDeps, 'rails' | 'clock' | 'log' | 'metrics' | 'tracer' | 'alert' | 'fault' | 'readiness'> {
  readonly pools: Pools
  readonly signer: Signer
}

/** Assembles the API from the deployment's configuration. */
export function configuredApi(config: Config, { pools, signer, ...opened }: Opened): ApiDeps {
  const { publicBaseUrl, staff } = config
  const { clock, fault, log, metrics } = opened
  const clients = new Map(config.merchantClients.map((client) => [client.clientId, client]))
  return {
    ...opened,
    ...pools.merchants,
    payers: pools.payers,
    callbacks: { db: pools.callbacks },
    limits: pools.limits,
    deployment: deploymentOf(config),
    verifyToken: createTokenVerifier({
      issuer: issuerOf(publicBaseUrl),
      reader: pools.merchants.db.reader,
      clock,
      scopesOf: (clientId) => clients.get(clientId)?.scopes,
    }),
    oauth: { publicBaseUrl, clients, signer, ...pools.oauth, clock, fault, log, metrics },
    referencePage: config.reference ?? !config.livemode,
    dash: staff && pools.staff && dashOf(config, staff, { ...pools.staff, clock, log }),
    errorHeaders: { shouldRetryAlias: config.compat.shouldRetryHeader ?? null },
  }
}

type Pages = Pick<ApiDeps, 'checkoutPage' | 'dashboardPage'>

/** @throws ConfigError if a configured folder holds no built page */
export async function openPages({ checkoutPageDir, staff }: Config): Promise<Pages> {
  const dashboardDir = staff?.dashboardDir
  return {
    checkoutPage: checkoutPageDir === undefined ? undefined : await openCheckoutPage(checkoutPageDir),
    dashboardPage: dashboardDir === undefined ? undefined : await openDashboardPage(dashboardDir),
  }
}

const deploymentOf = (config: Config): Deployment => ({
  livemode: config.livemode,
  publicBaseUrl: config.publicBaseUrl,
  // This service serves the page unless another host is configured.
  checkoutBaseUrl: config.checkoutBaseUrl ?? config.publicBaseUrl,
  callbackBaseUrl: config.callbackBaseUrl ?? config.publicBaseUrl,
  merchants: merchantsOf(
    config.merchantClients.map(({ clientId, name, publishableKey, brand }) => ({
      id: clientId as MerchantId,
      name,
      publishableKey,
      brand,
    })),
  ),
  clientSecrets: clientSecretsOf(
    config.clientSecretKeys.map(({ version, key }) => ({ version, key: key.reveal() })),
  ),
  railDisplays: new Map(config.rails.map(({ code, display }) => [code as RailCode, display])),
  payersMayLookUp: config.browser.accountHolders,
  defaultCountryCode: config.phone.defaultCountryCode,
})

const longCallback =
  'needs a shorter callback_base_url (by default public_base_url): its callback address exceeds the limit of the rail'

const unnamedHost = (setting: string) =>
  `needs the name of a public host in ${setting} in livemode: the rail refuses IP addresses and localhost`

/**
 * Testmode accepts any host, as the mock rail does.
 *
 * @throws ConfigError for each rail that would refuse every charge for the addresses that it is given
 */
export function requireReach(config: Config, rails: Rails): void {
  const { publicBaseUrl, callbackBaseUrl = publicBaseUrl, checkoutBaseUrl = publicBaseUrl, livemode } = config
  const faultsOf = (codes: readonly string[], message: string) =>
    codes.map((code) => ({ path: `rails.${code}`, message }))
  const refusingHost = (baseUrl: string) => (livemode ? railsRefusingHost(baseUrl, rails) : [])
  const faults = [
    ...faultsOf(railsOutOfReach(callbackBaseUrl, rails), longCallback),
    ...faultsOf(refusingHost(callbackBaseUrl), unnamedHost('callback_base_url (by default public_base_url)')),
    ...faultsOf(refusingHost(checkoutBaseUrl), unnamedHost('checkout_base_url (by default public_base_url)')),
  ]
  if (faults.length > 0) throw new ConfigError(faults)
}

const refusedKeys = {
  retired_key: 'was retired; configure a new key, a retired one cannot return (spec 5.5)',
  kid_taken: 'has the kid of another key; choose another kid',
  revoked_key: 'was revoked; configure a new key',
}

/** @throws ConfigError if the key may not sign */
export async function takeSigningKey({ jwk }: Signer, db: Database, nowMs: number): Promise<void> {
  const adopted = await adoptSigningKey(db, { jwk, nowMs })
  if (adopted !== 'active') throw new ConfigError([{ path: 'signing_key', message: refusedKeys[adopted] }])
}
