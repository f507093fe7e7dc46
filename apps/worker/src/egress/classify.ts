import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Spec 6.3.10: what is not public is never connected to. */
export type AddressClass = 'public' | 'non_public'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const wellKnownNat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Public by every registry, but the metadata service of a cloud. */
const platformAddresses: readonly string[] = ['168.63.129.16']

/** Classifies an address as a resolver answers it, or as the URL parser renders it. */
export function classify(address: string): AddressClass {
  // Strict first: the library also reads spellings such as 127.1, which no resolver answers.
  if (isIP(address) === 0) return 'non_public'
  const parsed = ipaddr.parse(address)
  return isPublic(parsed) ? 'public' : 'non_public'
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.kind() === 'ipv6') return isPublicIPv6(address as ipaddr.IPv6)
  return address.range() === 'unicast' && !platformAddresses.includes(address.toString())
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  if (address.isIPv4MappedAddress()) return isPublic(address.toIPv4Address())
  // A host behind DNS64 is as public as the IPv4 address inside. 64:ff9b:1::/48 is a network's own, and stays refused.
  if (address.match(wellKnownNat64)) return isPublic(embeddedIPv4(address))
  // Outside of what is allocated lie IPv4-compatible addresses and whatever is reserved next.
  return address.range() === 'unicast' && address.match(globalUnicast)
}

const embeddedIPv4 = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12))
