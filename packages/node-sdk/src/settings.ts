import packageJson from '../package.json' with { type: 'json' }
import { allowInsecureBaseUrl, readBaseUrl } from './base-url.ts'
import { systemClock, systemRandom, systemSleep } from './clock.ts'
import type { Hooks } from './hooks.ts'
import { type Logger, type LogLevel, withLog } from './log.ts'
import { type OptionNames, refuseUnknown } from './option-names.ts'
import { type PrivateKey, readPrivateKey, type Sign } from './private-key.ts'
import type { Signal } from './signal.ts'
import type { TokenStore } from './token-cache.ts'
import { carriedBy, type Carry, type Transport } from './transport.ts'
import type { Webhooks } from './webhooks.ts'

/** An `http.Agent` or `https.Agent` of Node, or one that extends it, such as a proxy agent. */
export interface HttpAgent {
  /** Closes the agent's idle connections. */
  destroy(): void
}

/**
 * Option that lets a client start where a page's globals exist, such as a test environment with jsdom. A real page must
 * never hold the private key. It is a symbol, so that no configuration file can set it by accident.
 *
 * @example
 * ```ts
 * const payments = createMerchantPayments({ baseUrl, clientId, privateKey: testKey, [allowBrowserGlobals]: true })
 * ```
 */
export const allowBrowserGlobals: unique symbol = Symbol('allowBrowserGlobals')

/**
 * The application that uses this package, such as a plugin of a shop system.
 *
 * @example
 * ```ts
 * const appInfo: AppInfo = { name: 'shop-plugin', version: '2.1.0', url: 'https://shop.example' }
 * ```
 */
export interface AppInfo {
  /** Its name, without spaces. */
  readonly name: string
  /** Its version. */
  readonly version?: string | undefined
  /** An address at which its makers can be reached. */
  readonly url?: string | undefined
}

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
  /** How much the client logs. Default: `off`. */
  readonly logLevel?: LogLevel | undefined
  /** Receives the log lines. Default: `console`. */
  readonly logger?: Logger | undefined
  /** Names the application in the `User-Agent` header. */
  readonly appInfo?: AppInfo | undefined
  /** Shares one access token among processes. Default: each process has its own token. */
  readonly tokenStore?: TokenStore | undefined
  /** Sends the requests. Default: `node:http` with keep-alive connections in Node, `fetch` elsewhere. */
  readonly transport?: Transport | undefined
  /** The agent of `node:http` for the client's connections, such as that of a proxy. Only in Node. */
  readonly agent?: HttpAgent | undefined
  /** Returns the time in ms since the epoch, for the assertion and the token's age. */
  readonly clock?: (() => number) | undefined
  /** Returns a number from 0 up to 1, for the jitter of the back-off. */
  readonly random?: (() => number) | undefined
  /** Waits for a back-off. It may end early or reject if the signal aborts. */
  readonly sleep?: ((delayMs: number, signal?: Signal) => Promise<void>) | undefined
  /** Allows plain http to another host, which exposes the token on the network path. For tests only. */
  readonly [allowInsecureBaseUrl]?: true
  /** Allows the globals of a page, which a test environment such as jsdom has. For tests only. */
  readonly [allowBrowserGlobals]?: true
}

/** What differs between the builds for Node and for other runtimes. */
export interface Platform {
  /** Returns the default transport. Throws a TypeError for an agent that it cannot use. */
  carryOf(agent: HttpAgent | undefined): Carry
  /** Whether the runtime may end what a request to it started once that request is over, as edge workers do. */
  readonly isEdge: boolean
  /** The verifier of webhooks, by node:crypto or WebCrypto. */
  readonly webhooks: Webhooks
}

export interface Settings {
  readonly baseUrl: string
  readonly issuer: string
  readonly clientId: string
  readonly keyId: string | undefined
  readonly sign: Sign
  /** Whether this package signs, and not a function of the caller. */
  readonly signsItself: boolean
  readonly scope: string | undefined
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly hooks: Hooks
  readonly tokenStore: TokenStore | undefined
  readonly isEdge: boolean
  readonly carry: Carry
  readonly userAgent: string
  readonly clock: () => number
  readonly random: () => number
  /** Never rejects. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_RETRIES = 2
const MAX_RETRIES_MAX = 10

/** The longest delay of a timer. A timer with a longer one fires at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1

const optionNames: OptionNames<MerchantPaymentsOptions> = {
  baseUrl: true,
  clientId: true,
  privateKey: true,
  keyId: true,
  issuer: true,
  scope: true,
  timeoutMs: true,
  maxRetries: true,
  hooks: true,
  logLevel: true,
  logger: true,
  appInfo: true,
  tokenStore: true,
  transport: true,
  agent: true,
  clock: true,
  random: true,
  sleep: true,
}

export function readSettings(options: MerchantPaymentsOptions, platform: Platform): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('createMerchantPayments needs an object with baseUrl, clientId and privateKey')
  }
  if (options[allowBrowserGlobals] !== true) refuseBrowser()
  const baseUrl = readBaseUrl(options.baseUrl, options[allowInsecureBaseUrl] === true)
  refuseUnknown(options, optionNames, 'an option')
  const { sign, keyId } = readPrivateKey(options.privateKey)
  return {
    baseUrl,
    issuer: nonEmpty('issuer', options.issuer ?? `${baseUrl}/v1/oauth`),
    clientId: nonEmpty('clientId', options.clientId),
    keyId: options.keyId === undefined ? keyId : nonEmpty('keyId', options.keyId),
    sign,
    signsItself: sign !== options.privateKey,
    // An empty scope would ask for all of them.
    scope: options.scope === undefined ? undefined : nonEmpty('scope', options.scope),
    timeoutMs: checkTimeoutMs(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    maxRetries: checkMaxRetries(options.maxRetries ?? DEFAULT_MAX_RETRIES),
    hooks: withLog(options.hooks ?? {}, options.logLevel ?? 'off', options.logger ?? console),
    tokenStore: options.tokenStore,
    isEdge: platform.isEdge,
    carry: carryOf(options, platform),
    userAgent: `merchant-payments-node-sdk/${packageJson.version}${productOf(options.appInfo)}`,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    sleep: sleepOf(options.sleep ?? systemSleep),
  }
}

/** A caller's sleep may reject at an abort, as that of node:timers does. The next attempt reports the abort, with the key. */
const sleepOf =
  (sleep: Settings['sleep']): Settings['sleep'] =>
  async (delayMs, signal) => {
    try {
      await sleep(delayMs, signal)
    } catch {
      // Any other failure only shortens the back-off.
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

/** The application as a product of the `User-Agent` header (RFC 9110). */
function productOf(appInfo: AppInfo | undefined): string {
  if (appInfo === undefined) return ''
  const { name, version, url } = appInfo
  const product = ` ${name}${version === undefined ? '' : `/${version}`}${url === undefined ? '' : ` (${url})`}`
  if (!/^ [\w.@+-]+(?:\/[\w.+-]+)?(?: \([\x21-\x27\x2a-\x7e]+\))?$/.test(product)) {
    throw new TypeError('appInfo must have a name and a version without spaces, and a url in ASCII')
  }
  return product
}

function carryOf({ transport, agent }: MerchantPaymentsOptions, platform: Platform): Carry {
  if (transport === undefined) return platform.carryOf(agent)
  if (agent !== undefined)
    throw new TypeError('agent has no effect beside transport: give it to the transport')
  return carriedBy(transport)
}

/** A page that can read the private key publishes it. */
function refuseBrowser(): void {
  if ('window' in globalThis && 'document' in globalThis) {
    throw new TypeError(
      'The private key must stay on a server: this package does not run in a browser. Set [allowBrowserGlobals] in a test with jsdom.',
    )
  }
}
