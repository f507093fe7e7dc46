import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FLOOR_MERCHANT } from '../floor/scripts.ts'

export const MERCHANT = 'bench_shop'
/** A second merchant without webhooks, so that deliveries take nothing from what is measured with it. */
export const DESK = 'bench_desk'
/** The neighbour, which makes the noises. It has no webhooks. */
export const NEIGHBOUR = 'bench_neighbour'
/** Merchants that share out work which one merchant does alone beside them. They have no webhooks. */
export const CROWD = Array.from({ length: 8 }, (_, n) => `bench_crowd_${n + 1}`)
/** A push rail that has decided when it answers the submit, and is queried at once. */
export const INSTANT_RAIL = 'mtn_instant'
/** A push rail that decides a moment later, and calls back. */
export const CALLBACK_RAIL = 'mtn_callback'
/** A push rail that accepts connections and never answers. */
export const HANGING_RAIL = 'mtn_hanging'

/** What a session of staff claims. */
export const STAFF_CLAIM = 'bench'

const MODULUS_BITS = 2048
const SECRET_BYTES = 32
const PRIVATE_MODE = 0o600

export interface Surroundings {
  readonly databaseUrl: string
  readonly worldUrl: string
  /** Merchants with a name and a key who send nothing. With them, the api serves staff. */
  readonly otherMerchants: readonly string[]
  /** The first one's api is the public one, to which the rail calls back. */
  readonly replicas: readonly Replica[]
}

/** The ports of an api and a worker. */
interface Replica {
  readonly apiPort: number
  readonly apiInternalPort: number
  readonly workerInternalPort: number
}

export interface Deployment {
  /** The configuration of each replica. They differ in their ports. */
  readonly configFiles: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly privateKey: KeyObject
}

const generateRsa = () => promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })

/** Writes the configurations of all processes. They keep the defaults unless a measured path needs another value. */
export async function writeDeployment(folder: string, around: Surroundings): Promise<Deployment> {
  const [merchant, service] = await Promise.all([generateRsa(), generateRsa()])
  const configFiles = await Promise.all(
    around.replicas.map(async (replica, n) => {
      const file = join(folder, `merchant-payments-${n + 1}.yaml`)
      // JSON is valid YAML.
      await writeFile(file, JSON.stringify(configOf(around, replica, merchant.publicKey), null, 2))
      return file
    }),
  )
  const signingKeyFile = join(folder, 'signing-key.json')
  const signingKey = JSON.stringify(service.privateKey.export({ format: 'jwk' }))
  await writeFile(signingKeyFile, signingKey, { mode: PRIVATE_MODE })
  const env = {
    DATABASE_URL: around.databaseUrl,
    SIGNING_KEY_FILE: signingKeyFile,
    WEBHOOK_SECRET: randomBytes(SECRET_BYTES).toString('base64url'),
    CLIENT_SECRET_KEY: randomBytes(SECRET_BYTES).toString('base64url'),
    STAFF_CLIENT_SECRET: randomBytes(SECRET_BYTES).toString('base64url'),
    RAIL_KEY: 'bench',
  }
  return { configFiles, env, privateKey: merchant.privateKey }
}

const configOf = (around: Surroundings, replica: Replica, merchantKey: KeyObject) => ({
  livemode: false,
  public_base_url: `http://127.0.0.1:${around.replicas[0]?.apiPort}`,
  database: {
    url: { env: 'DATABASE_URL' },
    shared_by: { apis: around.replicas.length, workers: around.replicas.length },
  },
  listen: { port: replica.apiPort },
  internal_listen: { port: replica.apiInternalPort },
  client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY' } }],
  signing_key: { env: 'SIGNING_KEY' },
  merchant_clients: [
    {
      ...client(MERCHANT, merchantKey),
      webhooks: [{ id: 'main', url: `${around.worldUrl}/webhooks`, secrets: [{ env: 'WEBHOOK_SECRET' }] }],
    },
    client(DESK, merchantKey),
    // The worker must know the merchant of the floor, whose statements write events as ours do.
    ...[FLOOR_MERCHANT, NEIGHBOUR, ...CROWD, ...around.otherMerchants].map((id) => client(id, merchantKey)),
  ],
  ...(around.otherMerchants.length > 0 && {
    staff: {
      // Nobody signs in here: the bench writes a session.
      issuer: around.worldUrl,
      client_id: 'bench',
      client_secret: { env: 'STAFF_CLIENT_SECRET' },
      role_claim: 'roles',
      roles: { [STAFF_CLAIM]: 'admin' },
    },
  }),
  rails: {
    [INSTANT_RAIL]: {
      ...mtnRail(`${around.worldUrl}/instant`),
      callbacks: false,
      first_query_after_ms: 0,
    },
    [CALLBACK_RAIL]: mtnRail(`${around.worldUrl}/callback`),
    [HANGING_RAIL]: mtnRail(`${around.worldUrl}/hanging`),
  },
  webhooks: { allow_private_targets: true },
  worker: { internal_listen: { port: replica.workerInternalPort } },
})

const client = (id: string, key: KeyObject) => ({
  client_id: id,
  name: id,
  jwks: { keys: [key.export({ format: 'jwk' })] },
  scopes: ['payments:read', 'payments:write'],
  audiences: ['service:v1'],
  publishable_key: `pk_${id}`,
})

const mtnRail = (baseUrl: string) => ({
  adapter: 'mtn_momo',
  display_name: 'MTN Mobile Money',
  settlement_currency: 'XAF',
  base_url: baseUrl,
  target_environment: 'mtncameroon',
  collection: product,
  disbursement: product,
})

const product = { subscription_keys: [{ env: 'RAIL_KEY' }], api_user: 'bench', api_key: { env: 'RAIL_KEY' } }
