import { isWhole, type NumberRead, readNumber } from './number.ts'
import type { RailOffer } from './types.ts'

const COUNTRY_CODE_DIGITS = 3

/** The rail whose operator gave out numbers like this one. Numbers are ported, so this is only a proposal. */
export function proposedRail(rails: readonly RailOffer[], written: string): RailOffer | null {
  const number = readNumber(written)
  return rails.find((rail) => rail.number_prefixes.some((prefix) => begins(number, prefix))) ?? null
}

const begins = ({ digits, hasCountryCode }: NumberRead, prefix: string): boolean =>
  digits.startsWith(hasCountryCode ? prefix : prefix.slice(COUNTRY_CODE_DIGITS))

/** A whole number that no operator of the session gave out. False if an operator's numbers are not known. */
export const fitsNone = (rails: readonly RailOffer[], written: string): boolean =>
  isWhole(readNumber(written)) &&
  rails.every(({ number_prefixes: prefixes }) => prefixes.length > 0) &&
  proposedRail(rails, written) === null

/** The number looks like one of another operator of the session than the chosen one. */
export function looksLikeOther(
  rails: readonly RailOffer[],
  chosen: RailOffer | null,
  written: string,
): RailOffer | null {
  const proposed = proposedRail(rails, written)
  return chosen !== null && isWhole(readNumber(written)) && proposed?.code !== chosen.code ? proposed : null
}
