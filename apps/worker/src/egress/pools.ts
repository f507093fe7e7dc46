import { getDefaultAutoSelectFamilyAttemptTimeout, type LookupFunction } from 'node:net'
import { Pool } from 'undici'
import type { ResolvedAddress } from './lookup.ts'

export const POOLS_MAX = 256

/** Shorter than most servers' idle limit, so a POST seldom meets a socket that the server is closing. */
const KEEP_ALIVE_MS = 4_000

export interface Pools {
  /** Returns a pool that connects only to these addresses, even if the host resolves to others later. */
  get(origin: string, addresses: readonly ResolvedAddress[]): Pool
  close(): Promise<void>
}

export function createPools(connectTimeoutMs: number): Pools {
  const pools = new Map<string, Pool>()

  function get(origin: string, addresses: readonly ResolvedAddress[]): Pool {
    const key = [origin, ...addresses.map(({ address }) => address).sort()].join(' ')
    const pool = pools.get(key) ?? openPool(origin, addresses, connectTimeoutMs)
    // A Map keeps insertion order, so its first entry is the least recently used.
    pools.delete(key)
    pools.set(key, pool)
    if (pools.size > POOLS_MAX) closeFirst()
    return pool
  }

  function closeFirst(): void {
    for (const [key, pool] of pools) {
      pools.delete(key)
      void pool.close()
      return
    }
  }

  return {
    get,
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

const openPool = (origin: string, addresses: readonly ResolvedAddress[], connectTimeoutMs: number): Pool =>
  new Pool(origin, {
    // Spec 6.3.10: connects to the checked address. TLS still asks for and checks the host's name.
    connect: {
      lookup: pinned(addresses),
      timeout: connectTimeoutMs,
      // Node's default gives each address but the last 250 ms, in which no lost packet is repeated.
      autoSelectFamilyAttemptTimeout: Math.max(
        getDefaultAutoSelectFamilyAttemptTimeout(),
        Math.floor(connectTimeoutMs / addresses.length),
      ),
    },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // Each request's abort signal bounds the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

const pinned =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
