/**
 * An access token and its times, fit for JSON.
 *
 * @example
 * ```ts
 * const isUsable = (token: StoredToken) => Date.now() < token.expiresAtMs
 * ```
 */
export interface StoredToken {
  /** The bearer token: a credential. */
  readonly accessToken: string
  /** From here on it is renewed in the background. */
  readonly refreshAtMs: number
  /** From here on it is not used. */
  readonly expiresAtMs: number
}

/**
 * Shares one access token among processes. What is stored is a credential: keep it where the private key may be kept.
 * A store that throws is treated as empty.
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

/** After a failed renewal in the background, so that an outage of the token endpoint is not hammered. */
const RENEWAL_PAUSE_MS = 30_000

export interface TokenCache {
  get(): Promise<string>
  /** Forgets this token and no newer one. */
  invalidate(accessToken: string): void
}

interface Sources {
  readonly mint: () => Promise<StoredToken>
  readonly clock: () => number
  readonly store: TokenStore | undefined
  readonly storeKey: string
}

/** One token for all calls, minted by one request however many of them wait for it. */
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
      // The token is good without being shared.
    }
  }

  return {
    get: async () => {
      const nowMs = clock()
      if (current === undefined || nowMs >= current.expiresAtMs) return (await renew()).accessToken
      if (nowMs >= current.refreshAtMs && nowMs >= pausedUntilMs) {
        renew().catch(() => {
          pausedUntilMs = clock() + RENEWAL_PAUSE_MS
        })
      }
      return current.accessToken
    },
    invalidate: (accessToken) => {
      refused = accessToken
      if (current?.accessToken === accessToken) current = undefined
    },
  }
}
