import { readFile } from 'node:fs/promises'

/** What the service's operator gives to a merchant. */
export interface Settings {
  readonly baseUrl: string
  readonly clientId: string
  readonly privateKey: string
  /** The `kid` of the key. A merchant with two registered keys gets no token without it. */
  readonly keyId: string | undefined
  readonly publishableKey: string
  readonly webhookSecrets: readonly string[]
  readonly rails: readonly string[]
  /** The address at which the development system lists received webhooks. */
  readonly receivedUrl: string
}

interface StackFile {
  readonly base_url: string
  readonly client_id: string
  readonly private_key_file: string
  readonly publishable_key: string
  readonly webhook: { readonly secrets: readonly string[]; readonly received_url: string } | null
  readonly mock_rails: { readonly push_rail: string | null; readonly redirect_rail: string | null }
}

/** Reads the settings of the system that `npx pnpm@12 dev` runs. */
export async function readSettings(stackFile: string | URL): Promise<Settings> {
  const stack = JSON.parse(await readFile(stackFile, 'utf8')) as StackFile
  if (stack.webhook === null) throw new Error('the running system sends no webhooks')
  const { push_rail, redirect_rail } = stack.mock_rails
  return {
    baseUrl: stack.base_url,
    clientId: stack.client_id,
    privateKey: await readFile(stack.private_key_file, 'utf8'),
    keyId: process.env['PAYMENTS_KEY_ID'],
    publishableKey: stack.publishable_key,
    webhookSecrets: stack.webhook.secrets,
    rails: [push_rail, redirect_rail].filter((rail) => rail !== null),
    receivedUrl: stack.webhook.received_url,
  }
}
