import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Spec 6.3.10: the worker never connects to a non-public address. */
export type AddressClass = 'public' | 'non_public'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const wellKnownNat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Addresses that registries list as public but that serve a cloud's metadata. */
const platformAddresses: readonly string[] = ['168.63.129.16']

export function classify(address: string): AddressClass {
  // The library also parses spellings such as 127.1, which no resolver returns.
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
  // A host behind DNS64 is public if its embedded IPv4 address is. 64:ff9b:1::/48 is for local use and stays
  // refused.
  if (address.match(wellKnownNat64)) return isPublic(embeddedIPv4(address))
  // Addresses outside the allocated range are IPv4-compatible or reserved.
  return address.range() === 'unicast' && address.match(globalUnicast)
}

const embeddedIPv4 = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12))
