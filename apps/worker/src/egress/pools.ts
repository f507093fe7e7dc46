import type { LookupFunction } from 'node:net'
import { Pool } from 'undici'
import type { ResolvedAddress } from './lookup.ts'

/** Pools kept open; the one that was used longest ago is closed first. */
export const POOLS_MAX = 256

/** Shorter than most servers' own idle limit, so that a POST seldom meets a socket that is being closed. */
const KEEP_ALIVE_MS = 4_000

export interface Pools {
  /** A pool that connects to these addresses only, whatever the origin's host resolves to by then. */
  get(origin: string, addresses: readonly ResolvedAddress[]): Pool
  close(): Promise<void>
}

export function createPools(connectTimeoutMs: number): Pools {
  const pools = new Map<string, Pool>()

  function get(origin: string, addresses: readonly ResolvedAddress[]): Pool {
    const key = [origin, ...addresses.map(({ address }) => address).sort()].join(' ')
    const pool = pools.get(key) ?? openPool(origin, addresses, connectTimeoutMs)
    // A map keeps the order of insertion: its first entry is the one used longest ago.
    pools.delete(key)
    pools.set(key, pool)
    if (pools.size > POOLS_MAX) closeFirst()
    return pool
  }

  function closeFirst(): void {
    for (const [key, pool] of pools) {
      pools.delete(key)
      // Requests under way end first; nobody waits for that.
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
    // Spec 6.3.10: pinned. The name stays the one that TLS asks for and checks.
    connect: { lookup: pinned(addresses), timeout: connectTimeoutMs },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // The signal of each request bounds it as a whole.
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
