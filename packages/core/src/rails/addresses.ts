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

/** A rail refuses every charge if the address for callbacks is longer than it accepts. */
export const railsOutOfReach = (callbackBaseUrl: string, rails: Rails): RailCode[] =>
  [...rails.values()]
    .filter((rail) => !takesUrl(rail, callbackUrlOf(callbackBaseUrl, rail, rail.mintReference()) ?? ''))
    .map(({ code }) => code)
