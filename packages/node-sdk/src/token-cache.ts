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
  /** Time in ms from which the client refreshes it in the background. */
  readonly refreshAtMs: number
  /** Time in ms from which the client no longer uses it. */
  readonly expiresAtMs: number
}

/**
 * Shares one access token among processes. A stored token is a credential: protect it like the private key.
 * The client treats a store that throws as empty.
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

export interface TokenCache {
  get(): Promise<string>
  /** The token of this process at once, if it has a valid one. Calls need no promise for it. */
  held(): string | undefined
  /** Drops this token, but no newer one. */
  invalidate(accessToken: string): void
}

interface Sources {
  readonly mint: () => Promise<StoredToken>
  readonly clock: () => number
  readonly store: TokenStore | undefined
  readonly storeKey: string
}

/** Serves one token to all calls, and requests a new one once for all callers that wait. */
export function createTokenCache({ mint, clock, store, storeKey }: Sources): TokenCache {
  let current: StoredToken | undefined
  let refused: string | undefined
  let renewal: Promise<StoredToken> | undefined
  let pausedUntilMs = 0

  const renew = () => {
    renewal ??= obtain().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  const obtain = async () => {
    const shared = await findShared()
    current = shared ?? (await mint())
    if (shared === undefined) await share(current)
    return current
  }

  const findShared = async () => {
    try {
      const token = await store?.get(storeKey)
      if (typeof token?.accessToken !== 'string' || token.accessToken === refused) return undefined
      return clock() < token.refreshAtMs ? token : undefined
    } catch {
      return undefined
    }
  }

  const share = async (token: StoredToken) => {
    try {
      await store?.set(storeKey, token)
    } catch {
      // The token is valid even if it could not be stored.
    }
  }

  const held = () => {
    const nowMs = clock()
    if (current === undefined || nowMs >= current.expiresAtMs) return undefined
    if (nowMs >= current.refreshAtMs && nowMs >= pausedUntilMs) {
      renew().catch(() => {
        pausedUntilMs = clock() + RENEWAL_PAUSE_MS
      })
    }
    return current.accessToken
  }

  return {
    get: async () => held() ?? (await renew()).accessToken,
    held,
    invalidate: (accessToken) => {
      refused = accessToken
      if (current?.accessToken === accessToken) current = undefined
    },
  }
}
