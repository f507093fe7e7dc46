import { lookup } from 'node:dns/promises'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Resolves a host to all of its addresses; rejects when it has none or nobody answers. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>

/**
 * Attempts that begin while their host is being resolved share the answer. The system's resolver holds a thread of a
 * small pool for each call, and one dead name server must not take them all.
 */
export function sharingLookup(lookUp: Lookup): Lookup {
  const running = new Map<string, Promise<readonly ResolvedAddress[]>>()
  return (host) => {
    const known = running.get(host)
    if (known !== undefined) return known
    const answer = lookUp(host).finally(() => running.delete(host))
    running.set(host, answer)
    return answer
  }
}

export const systemLookup: Lookup = (host) => lookup(host, { all: true, order: 'verbatim' })
