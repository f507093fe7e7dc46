import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { clientId as clientIdShape, SERVICE_AUDIENCE } from '@merchant-payments/config'
import { Command } from 'commander'
import { dump } from 'js-yaml'
import { readText } from '../connection.ts'
import { envLines } from '../env-lines.ts'
import { exitCodes, Failure } from '../failure.ts'
import { requireBareUrl } from '../http-url.ts'
import { createKeyPair, type PublicKey, readPublicKey } from '../key-pair.ts'
import { writeNew } from '../new-file.ts'
import { outputOf } from '../output.ts'

interface Flags {
  readonly name: string
  readonly url: string
  readonly webhookUrl?: string
  readonly publicKey?: string
  readonly livemode?: true
  readonly out: string
}

/** 256 bits: livemode asks for 32 bytes. */
const SECRET_BYTES = 32
/** Two of these never have the same name of a variable. */
const PLAIN_ID = /^[a-z0-9][a-z0-9-]*$/
const HASH_CHARS = 6

export const clientCommand = (): Command =>
  new Command('client')
    .description('Registrations of merchants.')
    .addCommand(
      new Command('new')
        .description(
          'Prints the entry of a new merchant for the configuration, and the merchant’s own settings.',
        )
        .argument('<client-id>', 'the id of the merchant: letters, digits, dots, hyphens, underscores')
        .requiredOption('--name <name>', 'the name that payers see')
        .option('--url <url>', 'the address of the service', 'http://127.0.0.1:8080')
        .option('--webhook-url <url>', 'the address of the merchant’s endpoint')
        .option('--public-key <file>', 'the merchant’s public key, as JWK or PEM (default: makes a key pair)')
        .option('--livemode', 'makes a publishable key of livemode')
        .option('--out <folder>', 'the folder of a new private key', '.')
        .action(registerClient),
    )

async function registerClient(clientId: string, flags: Flags, command: Command): Promise<void> {
  const fault = clientIdShape.safeParse(clientId).error?.issues[0]
  if (fault !== undefined) throw new Failure(`the client id ${fault.message}`, exitCodes.usage)
  requireBareUrl('--url', flags.url)
  if (/\/v1\/*$/.test(flags.url)) {
    throw new Failure('--url must end before /v1, which each client adds', exitCodes.usage)
  }
  if (flags.webhookUrl !== undefined) requireBareUrl('--webhook-url', flags.webhookUrl)
  const { kid, publicJwk, keyFile } = await keyOf(clientId, flags)
  const secretName = secretNameOf(clientId)
  const secret =
    flags.webhookUrl === undefined ? null : `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`
  const publishableKey = `pk_${flags.livemode ? 'live' : 'test'}_${randomBytes(SECRET_BYTES).toString('hex')}`
  const entry = {
    client_id: clientId,
    name: flags.name,
    jwks: { keys: [publicJwk] },
    scopes: ['payments:read', 'payments:write'],
    audiences: [SERVICE_AUDIENCE],
    publishable_key: publishableKey,
    webhooks:
      flags.webhookUrl === undefined
        ? []
        : [{ id: 'main', url: flags.webhookUrl, secrets: [{ env: secretName }] }],
  }
  const deploymentEnv = secret === null ? {} : { [secretName]: secret }
  const merchantEnv = {
    PAYMENTS_URL: flags.url,
    PAYMENTS_CLIENT_ID: clientId,
    ...(keyFile !== null && { PAYMENTS_KEY_FILE: keyFile }),
    // With a second key, the service refuses an assertion without it.
    PAYMENTS_KEY_ID: kid,
    PAYMENTS_PUBLISHABLE_KEY: publishableKey,
    ...(secret !== null && { PAYMENTS_WEBHOOK_SECRET: secret }),
  }
  await outputOf(command).print(
    { entry, deployment_env: deploymentEnv, merchant_env: merchantEnv, key_file: keyFile },
    [
      '# 1. Add to merchant_clients of the configuration, then restart the api and the worker:',
      dump([entry], { lineWidth: -1 }).trimEnd(),
      ...(secret === null
        ? []
        : ['', '# 2. The environment of the api and the worker:', ...envLines(deploymentEnv)]),
      '',
      `# ${secret === null ? 2 : 3}. The merchant's .env:`,
      ...envLines(merchantEnv),
    ],
  )
}

/** The variable of a merchant's secret. Ids that differ in their case or their marks alone have names of their own. */
function secretNameOf(clientId: string): string {
  const name = clientId
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_')
  const hash = createHash('sha256').update(clientId).digest('hex').slice(0, HASH_CHARS).toUpperCase()
  return `${name}${PLAIN_ID.test(clientId) ? '' : `_${hash}`}_WEBHOOK_SECRET`
}

/** The merchant's own key, or a new one, whose private part goes into a file. */
async function keyOf(
  clientId: string,
  { publicKey, out }: Flags,
): Promise<PublicKey & { readonly keyFile: string | null }> {
  if (publicKey !== undefined) {
    return { ...readPublicKey(await readText(publicKey, 'the public key')), keyFile: null }
  }
  const { kid, publicJwk, privatePem } = await createKeyPair()
  const keyFile = join(out, `${clientId}-private.pem`)
  await writeNew(keyFile, privatePem, { isSecret: true })
  return { kid, publicJwk, keyFile }
}
