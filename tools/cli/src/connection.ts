import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import {
  createMerchantPayments,
  createTokenSource,
  type MerchantPayments,
  type MerchantPaymentsOptions,
  type TokenSource,
} from '@merchant-payments/node-sdk'
import type { Command } from 'commander'
import { exitCodes, Failure, systemCodeOf } from './failure.ts'

/** A merchant's access to one deployment. */
export interface Connection {
  readonly options: MerchantPaymentsOptions
  readonly payments: MerchantPayments
  readonly tokens: TokenSource
  /** The text of the key's file. */
  readonly privateKey: string
  /** The secret of the merchant's endpoint, if it is known; two with a comma during a rotation. */
  readonly webhookSecret: string | undefined
}

export interface ConnectionFlags {
  readonly url?: string
  readonly clientId?: string
  readonly key?: string
  readonly keyId?: string
  readonly issuer?: string
  readonly envFile?: string
  readonly dev?: string | true
}

const DEV_FOLDER = '.data'
const STACK_FILE = 'stack.json'

/** Adds the options that say which deployment is meant, and which merchant. */
export const withConnection = (command: Command): Command =>
  command
    .option('--url <url>', 'the address of the service (PAYMENTS_URL)')
    .option('--client-id <id>', 'the client id of the merchant (PAYMENTS_CLIENT_ID)')
    .option('--key <file>', 'the private key, as PEM or JWK (PAYMENTS_KEY_FILE)')
    .option('--key-id <kid>', 'the kid of the key, if several are registered (PAYMENTS_KEY_ID)')
    .option('--issuer <url>', 'the issuer, if it is not the address and /v1/oauth (PAYMENTS_ISSUER)')
    .option('--env-file <file>', 'reads these variables from a file; those of the shell win')
    .option(
      '--dev [folder]',
      `uses the development system that keeps its data there (default: ${DEV_FOLDER})`,
    )

/** @throws {Failure} if the address, the client id or the key is missing */
export async function openConnection(flags: ConnectionFlags): Promise<Connection> {
  const { options, privateKey, webhookSecret } = await readSettings(flags)
  return {
    options,
    privateKey,
    payments: createMerchantPayments(options),
    tokens: createTokenSource(options),
    webhookSecret,
  }
}

interface Settings {
  readonly options: MerchantPaymentsOptions
  readonly privateKey: string
  readonly webhookSecret: string | undefined
}

async function readSettings(flags: ConnectionFlags): Promise<Settings> {
  const dev = flags.dev === undefined ? {} : await readDev(flags.dev === true ? DEV_FOLDER : flags.dev)
  const file = flags.envFile === undefined ? {} : parseEnv(await readText(flags.envFile, 'the env file'))
  const variables = { ...dev, ...file, ...(flags.dev === undefined ? process.env : {}) }
  const need = (flag: string, value: string | undefined, name: string): string => {
    const found = value ?? variables[name]
    if (found) return found
    throw new Failure(`${flag} is missing`, exitCodes.usage, [
      `give ${flag}, or set ${name}`,
      'or use --env-file with the file that `merchant-payments env` wrote, or --dev with the .data folder of the service',
    ])
  }
  const keyFile = need('--key', flags.key, 'PAYMENTS_KEY_FILE')
  const privateKey = await readText(keyFile, 'the private key')
  return {
    privateKey,
    options: {
      baseUrl: need('--url', flags.url, 'PAYMENTS_URL').replace(/\/+$/, ''),
      clientId: need('--client-id', flags.clientId, 'PAYMENTS_CLIENT_ID'),
      privateKey,
      keyId: flags.keyId ?? variables['PAYMENTS_KEY_ID'],
      issuer: flags.issuer ?? variables['PAYMENTS_ISSUER'],
      appInfo: { name: 'merchant-payments-cli' },
    },
    webhookSecret: variables['PAYMENTS_WEBHOOK_SECRET'],
  }
}

/** `dev` of the service's repository describes the running system in this file. */
interface StackFile {
  readonly base_url: string
  readonly client_id: string
  readonly private_key_file: string
  readonly publishable_key: string
  readonly webhook: { readonly secrets: readonly string[] } | null
}

function parseStack(file: string, text: string): StackFile {
  try {
    return JSON.parse(text) as StackFile
  } catch {
    throw new Failure(`${file} is not the file of a development system`, exitCodes.usage)
  }
}

export async function readDev(folder: string): Promise<Record<string, string | undefined>> {
  const file = join(folder, STACK_FILE)
  const text = await readText(file, 'the file of the development system', [
    'start the development system, in its clone: npx pnpm@12 dev',
    'in another folder, name its data: --dev ../merchant-payments/.data',
  ])
  const stack = parseStack(file, text)
  return {
    PAYMENTS_URL: stack.base_url,
    PAYMENTS_CLIENT_ID: stack.client_id,
    PAYMENTS_KEY_FILE: stack.private_key_file,
    PAYMENTS_PUBLISHABLE_KEY: stack.publishable_key,
    PAYMENTS_WEBHOOK_SECRET: stack.webhook?.secrets[0],
  }
}

export async function readText(path: string, what: string, hints: readonly string[] = []): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const reason = systemCodeOf(error) ?? 'unknown error'
    throw new Failure(`${what} cannot be read: ${path} (${reason})`, exitCodes.usage, hints)
  }
}
