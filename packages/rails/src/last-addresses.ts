import type { LookupFunction } from 'node:net'
import type { Resolve, ResolvedAddress } from '@merchant-payments/names'
import { HOUR_MS } from '@merchant-payments/core'

/** Age in ms up to which the last addresses serve while no name server answers. */
export const LAST_ADDRESSES_MAX_AGE_MS = HOUR_MS

/** Time in ms that a new connection waits for the name server if there are last addresses. */
const PATIENCE_MS = 1_000

/**
 * Looks up the host of one rail. While no name server answers, the rail's last addresses serve: with https its
 * certificate proves that they are still the rail's. An answer that there is no such name ends their use.
 */
export function keepLastAddresses(resolve: Resolve, clock: () => number): LookupFunction {
  let running: Promise<readonly ResolvedAddress[]> | null = null
  let last: { readonly addresses: readonly ResolvedAddress[]; readonly atMs: number } | null = null

  async function ask(host: string): Promise<readonly ResolvedAddress[]> {
    try {
      const addresses = await resolve(host)
      last = { addresses, atMs: clock() }
      return addresses
    } catch (error) {
      if (!isUnanswered(error)) last = null
      throw error
    }
  }

  async function find(host: string): Promise<readonly ResolvedAddress[]> {
    const known = last !== null && clock() - last.atMs <= LAST_ADDRESSES_MAX_AGE_MS ? last.addresses : null
    // Connections that open together share a look-up.
    running ??= ask(host).finally(() => {
      running = null
    })
    return known === null ? running : answerOr(known, running)
  }

  return async (host, { all }, callback) => {
    const [end] = await Promise.allSettled([find(host)])
    if (end.status === 'rejected') callback(end.reason, '')
    else if (all === true) callback(null, [...end.value])
    else callback(null, end.value[0]?.address ?? '', end.value[0]?.family)
  }
}

async function answerOr(
  known: readonly ResolvedAddress[],
  answer: Promise<readonly ResolvedAddress[]>,
): Promise<readonly ResolvedAddress[]> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<typeof known>((resolve) => {
    timer = setTimeout(() => resolve(known), PATIENCE_MS)
  })
  try {
    return await Promise.race([answer, patience])
  } catch (error) {
    if (isUnanswered(error)) return known
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAI_AGAIN'
