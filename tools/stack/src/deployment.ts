import { createPublicKey, generateKeyPair, type JsonWebKey, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** What a development deployment keeps in its folder between runs. */
export interface Deployment {
  readonly clientId: string
  readonly privateKeyFile: string
  readonly publicKey: JsonWebKey
  readonly publishableKey: string
  readonly webhookSecret: string
  /** The key from which the service derives client secrets. */
  readonly clientSecretKey: string
  readonly signingKeyFile: string
}

const CLIENT_ID = 'demo_shop'

const MODULUS_BITS = 2048
const SECRET_BYTES = 32
const PRIVATE_MODE = 0o600

/** The deployment of this folder. The first call creates it; later calls read it. */
export async function ensureDeployment(dataDir: string, clientId = CLIENT_ID): Promise<Deployment> {
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true })
  const privateKeyFile = join(folder, 'merchant-private-key.json')
  const signingKeyFile = join(folder, 'signing-key.json')
  const [merchantKey, merchant, service] = await Promise.all([
    keepJson(privateKeyFile, makePrivateKey),
    keepJson(join(folder, 'merchant-secrets.json'), makeSecrets),
    // A separate file, because older folders have the other files but not this one.
    keepJson(join(folder, 'service-secrets.json'), makeServiceSecrets),
    keepJson(signingKeyFile, makePrivateKey),
  ])
  return {
    clientId,
    privateKeyFile,
    publicKey: createPublicKey({ key: merchantKey, format: 'jwk' }).export({ format: 'jwk' }),
    publishableKey: merchant.publishable_key,
    webhookSecret: merchant.webhook_secret,
    clientSecretKey: service.client_secret_key,
    signingKeyFile,
  }
}

async function makePrivateKey(): Promise<JsonWebKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })
  return privateKey.export({ format: 'jwk' })
}

const makeSecrets = async () => ({
  publishable_key: `pk_test_${randomBytes(SECRET_BYTES).toString('hex')}`,
  webhook_secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`,
})

const makeServiceSecrets = async () => ({
  client_secret_key: randomBytes(SECRET_BYTES).toString('base64url'),
})

/** Reads the file's content, which the first call creates. The file is renamed into place when complete. */
async function keepJson<T>(path: string, make: () => Promise<T>): Promise<T> {
  const kept = await readJson<T>(path)
  if (kept !== null) return kept
  const made = await make()
  await writePrivately(path, `${JSON.stringify(made, null, 2)}\n`)
  return made
}

async function readJson<T>(path: string): Promise<T | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  try {
    return JSON.parse(text) as T
  } catch {
    // The parser's message quotes the text, which is a secret.
    throw new Error(`${path} is not valid JSON: remove it, and the next start creates a new one`)
  }
}

/** Writes a file that only its owner can read. Readers never see a partial file. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`
  await writeFile(draft, text, { mode: PRIVATE_MODE })
  await rename(draft, path)
}
