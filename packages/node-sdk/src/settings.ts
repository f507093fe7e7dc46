import packageJson from '../package.json' with { type: 'json' }
import { allowInsecureBaseUrl, readBaseUrl } from './base-url.ts'
import { systemClock, systemRandom, systemSleep } from './clock.ts'
import type { Hooks } from './hooks.ts'
import { nodeTransport } from './node-transport.ts'
import { type PrivateKey, readPrivateKey, type Sign } from './private-key.ts'
import type { TokenStore } from './token-cache.ts'
import type { Transport } from './transport.ts'

/**
 * The options of a client.
 *
 * @example
 * ```ts
 * const options: MerchantPaymentsOptions = {
 *   baseUrl: 'https://payments.example.com',
 *   clientId: 'shop',
 *   privateKey: await readFile('merchant.pem', 'utf8'),
 *   maxRetries: 3,
 * }
 * ```
 */
export interface MerchantPaymentsOptions {
  /** Address of the service: https, or http on this machine. */
  readonly baseUrl: string
  /** The client id under which the merchant is registered. */
  readonly clientId: string
  /** The private key whose public key is registered. */
  readonly privateKey: PrivateKey
  /** The `kid` of the key, required if several keys are registered. Default: the `kid` of the JWK, if it has one. */
  readonly keyId?: string | undefined
  /** The audience of the assertion, if the deployment's public base URL differs from `baseUrl`. Default: `{baseUrl}/v1/oauth`. */
  readonly issuer?: string | undefined
  /** A scope such as `payments:read`, to get a token with fewer than all registered scopes. */
  readonly scope?: string | undefined
  /** Time-out of one attempt with its body, in milliseconds. Default: 30 000. */
  readonly timeoutMs?: number | undefined
  /** Retries after the first attempt: 0 to 10. Default: 2. */
  readonly maxRetries?: number | undefined
  /** Observers, for logs and metrics. */
  readonly hooks?: Hooks | undefined
  /** Shares one access token among processes. Default: each process has its own token. */
  readonly tokenStore?: TokenStore | undefined
  /** Sends the requests. Default: `node:http` with keep-alive connections. */
  readonly transport?: Transport | undefined
  /** Returns the time in ms since the epoch, for the assertion and the token's age. */
  readonly clock?: (() => number) | undefined
  /** Returns a number from 0 up to 1, for the jitter of the back-off. */
  readonly random?: (() => number) | undefined
  /** Waits for a back-off. It may end early if the signal aborts. */
  readonly sleep?: ((delayMs: number, signal?: AbortSignal) => Promise<void>) | undefined
  /** Allows plain http to another host, which exposes the token on the network path. For tests only. */
  readonly [allowInsecureBaseUrl]?: true
}

export interface Settings {
  readonly baseUrl: string
  readonly issuer: string
  readonly clientId: string
  readonly keyId: string | undefined
  readonly sign: Sign
  readonly scope: string | undefined
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly hooks: Hooks
  readonly tokenStore: TokenStore | undefined
  readonly transport: Transport
  readonly userAgent: string
  readonly clock: () => number
  readonly random: () => number
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_RETRIES = 2
const MAX_RETRIES_MAX = 10

/** The longest delay of a timer. A timer with a longer one fires at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1

export function readSettings(options: MerchantPaymentsOptions): Settings {
  refuseBrowser()
  const baseUrl = readBaseUrl(options.baseUrl, options[allowInsecureBaseUrl] === true)
  const { sign, keyId } = readPrivateKey(options.privateKey)
  return {
    baseUrl,
    issuer: options.issuer ?? `${baseUrl}/v1/oauth`,
    clientId: nonEmpty('clientId', options.clientId),
    keyId: options.keyId ?? keyId,
    sign,
    scope: options.scope,
    timeoutMs: checkTimeoutMs(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    maxRetries: checkMaxRetries(options.maxRetries ?? DEFAULT_MAX_RETRIES),
    hooks: options.hooks ?? {},
    tokenStore: options.tokenStore,
    transport: options.transport ?? nodeTransport,
    userAgent: `merchant-payments-node-sdk/${packageJson.version}`,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    sleep: options.sleep ?? systemSleep,
  }
}

export const checkTimeoutMs = (value: number): number => integerBetween('timeoutMs', value, 1, TIMEOUT_MS_MAX)

export const checkMaxRetries = (value: number): number =>
  integerBetween('maxRetries', value, 0, MAX_RETRIES_MAX)

function integerBetween(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new TypeError(`${name} must be an integer from ${min} to ${max}`)
  }
  return value
}

function nonEmpty(name: string, value: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty string`)
  return value
}

/** A page that can read the private key publishes it. */
function refuseBrowser(): void {
  if ('window' in globalThis && 'document' in globalThis) {
    throw new TypeError('The private key must stay on a server: this package does not run in a browser')
  }
}
