import { Deadline } from './deadline.ts'
import { isPaymentsError } from './payments-error.ts'
import { backoffMs, isSoon } from './retry.ts'
import { checkMaxRetries, checkTimeoutMs, type Settings } from './settings.ts'
import { createTokenCache, type TokenCache } from './token-cache.ts'
import { mintToken } from './token-request.ts'

/**
 * Access tokens for another client of the service, such as curl or a client of the compatible API. It mints, keeps and
 * renews them as a client of this package does.
 *
 * @example
 * ```ts
 * const tokens = createTokenSource({ baseUrl, clientId, privateKey })
 * const authorization = `Bearer ${await tokens.get()}`
 * ```
 */
export interface TokenSource {
  /** Address of the service, without a final slash. */
  readonly baseUrl: string
  /** Returns a token that is valid for at least 30 s. Rejects with a {@link PaymentsError} if none is to be had. */
  get(limits?: TokenLimits): Promise<string>
  /** Drops a token that the service refused with 401, so that the next `get` mints another. */
  invalidate(accessToken: string): void
}

/**
 * Limits of one {@link TokenSource.get}. They override those of the source, also with 0.
 *
 * @example
 * ```ts
 * const limits: TokenLimits = { timeoutMs: 5_000, maxRetries: 0 }
 * ```
 */
export interface TokenLimits {
  /** Time-out of one attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Retries after the first attempt; 0 for none. */
  readonly maxRetries?: number | undefined
}

export function cacheOf(settings: Settings): TokenCache {
  const { issuer, clientId, scope, clock, tokenStore: store, isEdge } = settings
  const storeKey = [issuer, clientId, scope ?? ''].join(' ')
  const mint = (signal: AbortSignal) => mintToken(settings, signal)
  return createTokenCache({ mint, clock, store, storeKey, isEdge })
}

/** The tokens of a client. Unlike a call, which retries as a whole, `get` retries by itself. */
export function tokenSourceOf(settings: Settings): TokenSource {
  const { baseUrl, random, sleep } = settings
  const cache = cacheOf(settings)
  return {
    baseUrl,
    invalidate: (accessToken) => cache.invalidate(accessToken),
    get: async (limits = {}) => {
      const timeoutMs = checkTimeoutMs(limits.timeoutMs ?? settings.timeoutMs)
      const maxRetries = checkMaxRetries(limits.maxRetries ?? settings.maxRetries)
      for (let retries = 0; ; ) {
        const deadline = new Deadline({ timeoutMs })
        try {
          return await cache.get(deadline)
        } catch (error) {
          if (!isPaymentsError(error) || !error.shouldRetry || retries === maxRetries || !isSoon(error))
            throw error
          retries += 1
          await sleep(backoffMs(retries, error, random))
        } finally {
          deadline.clear()
        }
      }
    },
  }
}
