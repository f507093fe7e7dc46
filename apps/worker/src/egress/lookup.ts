import { lookup } from 'node:dns/promises'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>

/**
 * Shares one resolution among the attempts that start while it runs. Each call to the system's resolver holds
 * a thread of a small pool; sharing keeps one dead name server from taking them all.
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
