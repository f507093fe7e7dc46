import { language } from '../i18n.ts'

/** The counts of waiting objects stop here (`Waiting` and `EndpointHealth` of the contract). */
const COUNTED_MAX = 10_000

/** A count that the API cuts at `most`: `10,000+` if there can be more. */
export const countOf = (count: number, most: number = COUNTED_MAX): string =>
  isCut(count, most) ? `${count.toLocaleString(language)}+` : count.toLocaleString(language)

export const isCut = (count: number, most: number = COUNTED_MAX): boolean => count >= most
