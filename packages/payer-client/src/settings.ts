import { type Attention, pageAttention } from './attention.ts'
import { allowInsecureBaseUrl, readBaseUrl } from './base-url.ts'
import { systemNow, systemRandom } from './clock.ts'
import { readSecret, type Secret } from './secret.ts'
import { type AttemptStorage, type SafeStorage, safeStorage } from './storage.ts'
import { type Fetch, world } from './world.ts'

/**
 * The time, which tests replace: `now` is in milliseconds since 1970.
 *
 * @example
 * ```ts
 * const clock: Clock = {
 *   now: () => Date.now(),
 *   setTimeout: (run, delayMs) => setTimeout(run, delayMs),
 *   clearTimeout: (timer) => clearTimeout(timer as number),
 * }
 * ```
 */
export interface Clock {
  /** The time in milliseconds since 1970. */
  now(): number
  /** Calls `run` once after the delay in milliseconds. Returns the timer. */
  setTimeout(run: () => void, delayMs: number): unknown
  /** Cancels a timer. */
  clearTimeout(timer: unknown): void
}

/**
 * The options of a client. They cannot hold a token, a key or a header, which belong on the merchant's
 * server.
 *
 * @example
 * ```ts
 * const options: PayerClientOptions = {
 *   baseUrl: 'https://payments.example.com',
 *   publishableKey: 'pk_live_shop',
 *   clientSecret: order.clientSecret,
 * }
 * ```
 */
export interface PayerClientOptions {
  /** The https URL of the service. */
  readonly baseUrl: string
  /** The secret of one payment intent or one checkout session. */
  readonly clientSecret: string
  /** Required with an intent's secret; a session's secret contains it. */
  readonly publishableKey?: string | undefined
  /** Where an attempt's key survives a reload. Default: `session`, this tab only. */
  readonly storage?: 'session' | 'local' | 'none' | AttemptStorage | undefined
  /** Default: on while the page is visible and online. */
  readonly attention?: Attention | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Default: the system's. */
  readonly clock?: Clock | undefined
  /** A random number from 0 up to 1, for the jitter. */
  readonly random?: (() => number) | undefined
  /** Allows a `baseUrl` of plain http, for development. */
  readonly [allowInsecureBaseUrl]?: true
  /** Refused: a merchant's token belongs on the merchant's server. */
  readonly accessToken?: never
  /** Refused: a merchant's token belongs on the merchant's server. */
  readonly authorization?: never
  /** Refused: a client sends its own headers alone. */
  readonly headers?: never
  /** Refused: a merchant's key belongs on the merchant's server. */
  readonly privateKey?: never
}

export interface Settings {
  readonly baseUrl: string
  readonly clientSecret: string
  readonly secret: Secret
  readonly publishableKey: string
  readonly storage: SafeStorage
  readonly attention: Attention
  readonly fetch: Fetch
  readonly clock: Clock
  readonly random: () => number
  readonly mintKey: () => string
}

export function readSettings(options: PayerClientOptions): Settings {
  const {
    baseUrl,
    clientSecret,
    publishableKey,
    storage = 'session',
    attention = pageAttention,
    // Looked up at each call, so that a test's later interceptor takes effect.
    fetch = (url, init) => world.fetch(url, init),
    clock = systemClock,
    random = systemRandom,
    [allowInsecureBaseUrl]: insecureAllowed,
    ...others
  } = options
  const [unknown] = Object.keys(others)
  // Spec 4.6: a client never holds a merchant token, private key or Authorization header.
  if (unknown !== undefined) throw new TypeError(`${unknown} is not an option of a payer client`)
  const secret = readSecret(clientSecret)
  const key = publishableKey ?? secret.publishableKey ?? ''
  if (!/^pk_\w+$/.test(key)) throw new TypeError('publishableKey must be the merchant’s pk_…')
  return {
    baseUrl: readBaseUrl(baseUrl, insecureAllowed === true),
    clientSecret,
    secret,
    publishableKey: key,
    storage: safeStorage(storage, clock),
    attention,
    fetch,
    clock,
    random,
    mintKey: () => world.crypto?.randomUUID?.() ?? fallbackKey(clock, random),
  }
}

const systemClock: Clock = {
  now: systemNow,
  setTimeout: (run, delayMs) => world.setTimeout(run, delayMs),
  clearTimeout: (timer) => world.clearTimeout(timer),
}

/**
 * For React Native and pages over http, which lack randomUUID. A key need not be secret, only unique within
 * its intent.
 */
const fallbackKey = (clock: Clock, random: () => number): string =>
  [clock.now(), random(), random()].map((part) => part.toString(36).replace('0.', '')).join('-')
