import { join } from 'node:path'
import type { Settings } from '@merchant-payments/mock-rails'
import { dump } from 'js-yaml'
import type { Environment } from './child.ts'
import { type Deployment, writePrivately } from './deployment.ts'
import type { StackOptions } from './options.ts'
import type { ReplicaPorts } from './ports.ts'

export const PUSH_RAIL = 'mtn_momo_cm'
export const REDIRECT_RAIL = 'orange_money_cm'
export const ENDPOINT_ID = 'main'
export const MERCHANT_NAME = 'Demo shop'

export interface Surroundings {
  readonly ports: ReplicaPorts
  readonly publicUrl: string
  /** The servers are of a release, which refuses keys that it does not know. So the file has none of this version's. */
  readonly isReleased?: boolean
  readonly callbackUrl?: string | undefined
  readonly databaseUrl: string
  readonly namedStatements?: boolean
  readonly wireUrl: string
  readonly operators: Settings
  /** The folder of the built checkout page; null if the API does not serve it. */
  readonly checkoutPageDir: string | null
  readonly dashboardDir: string | null
  readonly webhookUrl: string | null
  readonly staff: StaffClient | null
  readonly isOwnStandby?: StackOptions['isOwnStandby']
  readonly tracing?: StackOptions['tracing']
}

export interface StaffClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly roles: Readonly<Record<string, string>>
}

/** Both processes read the same file. Its secrets come from their environment. */
export interface ConfigFile {
  readonly path: string
  readonly env: Environment
}

/**
 * Writes the deployment's configuration beside its keys, for the replica of this number. Runs at each start, because
 * ports may have changed.
 */
export async function writeConfig(
  folder: string,
  deployment: Deployment,
  around: Surroundings,
  replica = 1,
): Promise<ConfigFile> {
  const path = join(folder, replica === 1 ? 'merchant-payments.yaml' : `merchant-payments-${replica}.yaml`)
  const yaml = dump(configOf(deployment, around), { noRefs: true })
  await writePrivately(path, `# Every start of the development system overwrites this file.\n${yaml}`)
  return { path, env: environmentOf(deployment, around) }
}

const configOf = ({ clientId, publicKey, publishableKey }: Deployment, around: Surroundings) => ({
  livemode: false,
  public_base_url: around.publicUrl,
  ...(around.callbackUrl !== undefined && { callback_base_url: around.callbackUrl }),
  ...(around.checkoutPageDir !== null && { checkout_page_dir: around.checkoutPageDir }),
  database: {
    url: { env: 'DATABASE_URL' },
    ...(around.namedStatements === false && { named_statements: false }),
    ...(around.isOwnStandby === true && { reader_url: { env: 'DATABASE_URL' } }),
  },
  listen: { port: around.ports.api },
  internal_listen: { port: around.ports.apiInternal },
  metrics: { port: around.ports.apiMetrics },
  client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY' } }],
  signing_key: { env: 'SIGNING_KEY' },
  merchant_clients: [
    {
      client_id: clientId,
      name: MERCHANT_NAME,
      jwks: { keys: [publicKey] },
      scopes: ['payments:read', 'payments:write'],
      audiences: ['service:v1'],
      publishable_key: publishableKey,
      webhooks: endpointsOf(around.webhookUrl),
    },
  ],
  rails: { [PUSH_RAIL]: mtnRail(around), [REDIRECT_RAIL]: orangeRail(around) },
  ...(around.isReleased !== true && { statements: [mtnStatements, orangeStatements] }),
  webhooks: { allow_private_targets: true },
  worker: {
    internal_listen: { port: around.ports.workerInternal },
    metrics: { port: around.ports.workerMetrics },
  },
  ...(around.tracing !== undefined && {
    tracing: { endpoint: around.tracing.endpoint, sample_ratio: around.tracing.sampleRatio },
  }),
  ...(around.staff !== null && {
    staff: {
      issuer: around.staff.issuer,
      client_id: around.staff.clientId,
      client_secret: { env: 'STAFF_CLIENT_SECRET' },
      roles: around.staff.roles,
      ...(around.dashboardDir !== null && { dashboard_dir: around.dashboardDir }),
    },
  }),
  // The header that stock clients of the compatible API read.
  compat: { should_retry_header: 'stripe-should-retry' },
})

/** The columns of both operators' statements, as docs/configuration.example.yaml has them. */
const mtnStatements = {
  rail: PUSH_RAIL,
  date: 'Date',
  status: 'Status',
  succeeded: ['Successful'],
  type: 'Type',
  charges: ['Debit'],
  payouts: ['Cash in'],
  reference: 'External id',
  transaction: 'Id',
  amount: ['Amount'],
}
const orangeStatements = {
  rail: REDIRECT_RAIL,
  delimiter: ';',
  date: 'Date',
  time: 'Heure',
  day_first: true,
  status: 'Statut',
  succeeded: ['Succès'],
  type: 'Service',
  charges: ['Merchant Payment'],
  transaction: 'Référence',
  credit: ['Crédit'],
  debit: ['Débit'],
}

const endpointsOf = (url: string | null) =>
  url === null ? [] : [{ id: ENDPOINT_ID, url, secrets: [{ env: 'WEBHOOK_SECRET' }] }]

function mtnRail({ operators: { mtn }, wireUrl, isReleased }: Surroundings) {
  const user = { api_user: mtn.apiUser, api_key: { env: 'MTN_API_KEY' } }
  return {
    adapter: 'mtn_momo',
    display_name: 'MTN Mobile Money',
    display: {
      name: { fr: 'MTN Mobile Money', en: 'MTN MoMo' },
      ...(isReleased !== true && { payee_number: '237670009990' }),
      prompt: {
        dial: '*126#',
        payee_name: MERCHANT_NAME,
        hint: {
          fr: 'Le téléphone du payeur est la page « handset » de ce système.',
          en: 'The payer’s phone is the handset page of this system.',
        },
      },
    },
    settlement_currency: 'XAF',
    base_url: wireUrl,
    target_environment: mtn.targetEnvironment,
    collection: { subscription_keys: [{ env: 'MTN_COLLECTION_KEY' }], ...user },
    disbursement: { subscription_keys: [{ env: 'MTN_DISBURSEMENT_KEY' }], ...user },
  }
}

const orangeRail = ({ operators: { orange }, wireUrl }: Surroundings) => ({
  adapter: 'orange_money',
  display_name: 'Orange Money',
  settlement_currency: 'XAF',
  base_url: wireUrl,
  country: 'cm',
  merchant_key: { env: 'ORANGE_MERCHANT_KEY' },
  client_id: orange.clientId,
  client_secret: { env: 'ORANGE_CLIENT_SECRET' },
})

const environmentOf = (
  deployment: Deployment,
  { databaseUrl, operators: { mtn, orange }, staff }: Surroundings,
): Environment => ({
  DATABASE_URL: databaseUrl,
  SIGNING_KEY_FILE: deployment.signingKeyFile,
  CLIENT_SECRET_KEY: deployment.clientSecretKey,
  WEBHOOK_SECRET: deployment.webhookSecret,
  MTN_API_KEY: mtn.apiKey,
  MTN_COLLECTION_KEY: mtn.collectionSubscriptionKeys[0] ?? '',
  MTN_DISBURSEMENT_KEY: mtn.disbursementSubscriptionKeys[0] ?? '',
  ORANGE_MERCHANT_KEY: orange.merchantKey,
  ORANGE_CLIENT_SECRET: orange.clientSecret,
  ...(staff !== null && { STAFF_CLIENT_SECRET: staff.clientSecret }),
})
