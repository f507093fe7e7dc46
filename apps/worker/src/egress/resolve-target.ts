import { isIP } from 'node:net'
import { classify } from './classify.ts'
import type { Lookup, ResolvedAddress } from './lookup.ts'

export type Target =
  | { readonly kind: 'checked'; readonly addresses: readonly ResolvedAddress[] }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unresolved' }

interface ResolveRules {
  readonly lookup: Lookup
  /** `webhooks.allow_private_targets`: connects to any address that the host resolves to. */
  readonly allowPrivate: boolean
}

/** Spec 6.3.10: resolves the host once and refuses it if any of its addresses is non-public. Never rejects. */
export async function resolveTarget(url: URL, { lookup, allowPrivate }: ResolveRules): Promise<Target> {
  const addresses = await addressesOf(url, lookup)
  if (addresses.length === 0) return { kind: 'unresolved' }
  const refused = !allowPrivate && addresses.some(({ address }) => classify(address) !== 'public')
  return refused ? { kind: 'refused' } : { kind: 'checked', addresses }
}

// The URL parser has already turned spellings of an IPv4 address such as 0x7f.1 into dotted decimals.
async function addressesOf(url: URL, lookup: Lookup): Promise<readonly ResolvedAddress[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  try {
    return await lookup(host)
  } catch {
    return []
  }
}
