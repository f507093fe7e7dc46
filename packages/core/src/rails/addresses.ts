import type { RailAdapter, RailCode, Rails } from './port.ts'

/** Null if the deployment takes no callbacks. */
export const callbackUrlOf = (
  callbackBaseUrl: string,
  rail: RailAdapter,
  reference: string,
): string | null =>
  rail.callbacks ? `${callbackBaseUrl}/provider/${rail.code}/callback?ref=${reference}` : null

export const takesUrl = ({ capabilities: { urlCharsMax } }: RailAdapter, url: string): boolean =>
  urlCharsMax === undefined || url.length <= urlCharsMax

export const takesHost = ({ capabilities: { namedHostsOnly } }: RailAdapter, { hostname }: URL): boolean =>
  namedHostsOnly !== true || !unnamedHost.test(hostname)

/** `URL` has written each spelling of an IPv4 address as four numbers, and an IPv6 address in brackets. */
const unnamedHost = /^\[|^\d+(\.\d+){3}$|(^|\.)localhost\.?$/

/** A rail refuses every charge if the address for callbacks is longer than it accepts. */
export const railsOutOfReach = (callbackBaseUrl: string, rails: Rails): RailCode[] =>
  [...rails.values()]
    .filter((rail) => !takesUrl(rail, callbackUrlOf(callbackBaseUrl, rail, rail.mintReference()) ?? ''))
    .map(({ code }) => code)

/** Such a rail refuses every charge whose callback or return address has this host. */
export const railsRefusingHost = (baseUrl: string, rails: Rails): RailCode[] =>
  [...rails.values()].filter((rail) => !takesHost(rail, new URL(baseUrl))).map(({ code }) => code)
