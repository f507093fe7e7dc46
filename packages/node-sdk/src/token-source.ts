import { isPaymentsError } from './payments-error.ts'
import { backoffMs, isSoon } from './retry.ts'
import type { Settings } from './settings.ts'
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
  get(): Promise<string>
  /** Drops a token that the service refused with 401, so that the next `get` mints another. */
  invalidate(accessToken: string): void
}

export function cacheOf(settings: Settings): TokenCache {
  const { issuer, clientId, scope, clock, tokenStore: store } = settings
  const storeKey = [issuer, clientId, scope ?? ''].join(' ')
  return createTokenCache({ mint: () => mintToken(settings), clock, store, storeKey })
}

/** The tokens of a client. Unlike a call, which retries as a whole, `get` retries by itself. */
export function tokenSourceOf(settings: Settings): TokenSource {
  const { baseUrl, maxRetries, random, sleep } = settings
  const cache = cacheOf(settings)
  return {
    baseUrl,
    invalidate: (accessToken) => cache.invalidate(accessToken),
    get: async () => {
      for (let retries = 0; ; ) {
        try {
          return await cache.get()
        } catch (error) {
          if (!isPaymentsError(error) || !error.shouldRetry || retries === maxRetries || !isSoon(error))
            throw error
          retries += 1
          await sleep(backoffMs(retries, error, random))
        }
      }
    },
  }
}
