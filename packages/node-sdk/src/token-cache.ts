import { Deadline } from './deadline.ts'
import { Renewal } from './renewal.ts'

/**
 * An access token and its times, which can be stored as JSON.
 *
 * @example
 * ```ts
 * const isUsable = (token: StoredToken) => Date.now() < token.expiresAtMs
 * ```
 */
export interface StoredToken {
  /** The bearer token. It is a credential. */
  readonly accessToken: string
  /** Time in ms from which the client refreshes it in the background. On edge workers it does so at `expiresAtMs`. */
  readonly refreshAtMs: number
  /** Time in ms from which the client no longer uses it. */
  readonly expiresAtMs: number
}

/**
 * Shares one access token among processes. A stored token is a credential: protect it like the private key.
 * The client treats a store that throws, or does not answer within a second, as empty.
 *
 * @example
 * ```ts
 * const tokenStore: TokenStore = {
 *   get: async (key) => JSON.parse((await redis.get(key)) ?? 'null'),
 *   set: async (key, token) => {
 *     await redis.set(key, JSON.stringify(token), { PXAT: token.expiresAtMs })
 *   },
 * }
 * ```
 */
export interface TokenStore {
  /** The token stored under a key; null or undefined if there is none. */
  get(key: string): Promise<StoredToken | null | undefined>
  /** Stores a token under a key until its `expiresAtMs`. */
  set(key: string, token: StoredToken): Promise<void>
}

/** Pause after a failed background refresh, so that an outage of the token endpoint causes few requests. */
const RENEWAL_PAUSE_MS = 30_000

/** The client takes a store that does not answer within this time for an empty one: all calls wait for it. */
const STORE_TIMEOUT_MS = 1_000

export interface TokenCache {
  /** Waits until the deadline. A caller that comes after it does not wait for the same token request alone. */
  get(deadline: Deadline): Promise<string>
  /** The token of this process at once, if it has a valid one. Calls need no promise for it. */
  held(): string | undefined
  /** Drops this token, but no newer one. */
  invalidate(accessToken: string): void
}

interface Sources {
  readonly mint: (signal: AbortSignal) => Promise<StoredToken>
  readonly clock: () => number
  readonly store: TokenStore | undefined
  readonly storeKey: string
  readonly isEdge: boolean
}

/**
 * Serves one token to all calls. It requests a new one once for all callers that wait, and early, in the background. With
 * `isEdge` each caller that finds none requests its own: the runtime may end the request of another caller unanswered.
 */
export function createTokenCache({ mint, clock, store, storeKey, isEdge }: Sources): TokenCache {
  let current: StoredToken | undefined
  let refused: string | undefined
  /** After a 401, until a mint: what refused this token can refuse those of other processes (spec 5.4). */
  let mustMint = false
  let renewal: Renewal<StoredToken> | undefined
  let pausedUntilMs = 0

  const renew = () => {
    if (renewal !== undefined) return renewal
    const started = new Renewal(obtain)
    const end = () => {
      renewal = undefined
    }
    started.result.then(end, end)
    renewal = started
    return started
  }

  const obtain = async (signal: AbortSignal) => {
    const shared = await findShared()
    if (shared !== undefined) {
      current = shared
      return shared
    }
    const token = await mint(signal)
    current = token
    mustMint = false
    // The token is valid even if it cannot be stored.
    await answerOf(async () => store?.set(storeKey, token))
    return token
  }

  const findShared = async () => {
    if (mustMint) return undefined
    const token = await answerOf(async () => store?.get(storeKey))
    // A 401 may have come meanwhile.
    if (mustMint || !token || !isBearerToken(token.accessToken) || token.accessToken === refused)
      return undefined
    return clock() < token.refreshAtMs ? token : undefined
  }

  const held = () => {
    const nowMs = clock()
    if (current === undefined || nowMs >= current.expiresAtMs) return undefined
    if (!isEdge && nowMs >= current.refreshAtMs && nowMs >= pausedUntilMs) {
      renew().result.catch(() => {
        pausedUntilMs = clock() + RENEWAL_PAUSE_MS
      })
    }
    return current.accessToken
  }

  const request = (deadline: Deadline) =>
    isEdge ? deadline.race(() => obtain(deadline.signal)) : renew().wait(deadline)

  return {
    get: async (deadline) => held() ?? (await request(deadline)).accessToken,
    held,
    invalidate: (accessToken) => {
      refused = accessToken
      if (current?.accessToken !== accessToken) return
      current = undefined
      mustMint = true
    },
  }
}

/** Any other text would break the header. */
export const isBearerToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)

/** The answer of a store; undefined if it fails. */
function answerOf<T>(ask: () => Promise<T>): Promise<T | undefined> {
  const deadline = new Deadline({ timeoutMs: STORE_TIMEOUT_MS })
  return deadline
    .race(ask)
    .catch(() => undefined)
    .finally(() => deadline.clear())
}
