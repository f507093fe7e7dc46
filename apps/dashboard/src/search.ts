import type { Currency } from '@merchant-payments/contract'
import { factsOf, type Zone, zoneOf } from './zone.ts'

/** Every filter and cursor that a URL may hold. The names are the API's, except for the days. */
const names = [
  'merchant',
  'status',
  'state',
  'rail',
  'customer',
  'payer',
  'payment_intent',
  'instruction',
  'queue',
  'endpoint',
  'event',
  'event_type',
  'type',
  'actor',
  'alert',
  'assignee',
  'action',
  'target',
  'verdict',
  'size',
  'after',
  'from',
  'until',
  'zone',
  'amount_from',
  'amount_to',
  'currency',
  'charge',
  'decline',
  'metadata',
  'rows',
  'order',
  'starting_after',
  'ending_before',
] as const

export type SearchName = (typeof names)[number]
export type Search = { readonly [Name in SearchName]?: string | undefined }

const isName = (name: string): name is SearchName => names.some((known) => known === name)

/** Drops parameters that are not ours from the URL. */
export const parseSearch = (given: Readonly<Record<string, unknown>>): Search =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => isName(name) && typeof value === 'string' && value !== '',
    ),
  )

/** Keeps every value as text. The router's own parser would turn digits into numbers. */
export const readAddress = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text))

export function writeAddress(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '')
  const text = new URLSearchParams(given as [string, string][]).toString()
  return text === '' ? '' : `?${text}`
}

/** Rows of a page, and of a page whose address says so. */
export const ROWS = '50'
export const MANY_ROWS = '100'

const DAY_SEC = 86_400

/** Turns days and instants of the address's zone into seconds, and drops invalid ones. A day `until` counts to its end. */
export function queryOf({
  from,
  until,
  zone,
  amount_from,
  amount_to,
  currency,
  ...rest
}: Search): Record<string, string | undefined> {
  const { offset } = factsOf(zoneOf(zone))
  const fromMinor = amountOf(amount_from, currency)
  const toMinor = amountOf(amount_to, currency)
  const isBound = fromMinor !== undefined || toMinor !== undefined
  return {
    ...rest,
    'created[gte]': secondsOf(from, offset, 0),
    'created[lt]': secondsOf(until, offset, DAY_SEC),
    'amount[gte]': fromMinor,
    'amount[lte]': toMinor,
    // The same number of minor units is another amount in another currency.
    currency: currency ?? (isBound ? USUAL_CURRENCY : undefined),
  }
}

/** The currency of an address's amounts, if it names none. */
export const USUAL_CURRENCY = 'XAF'
const decimals = { XAF: 0, EUR: 2 } as const satisfies Record<Currency, number>
export const knownCurrencies = Object.keys(decimals) as Currency[]
/** A newer api may have another. */
export const isKnownCurrency = (code: string): code is Currency => Object.hasOwn(decimals, code)
const AMOUNT_MINOR_MAX = 99_999_999

/**
 * An amount in minor units, as people write it: `25 000` or `25,000` in XAF, `25` or `1 250,50` in EUR. Undefined if it
 * is none, or if it can be read in two ways, such as `1,250` in EUR.
 */
export function amountOf(text = '', currency: string = USUAL_CURRENCY): string | undefined {
  const written = /^(\d+|\d{1,3}(?:([\s.,])\d{3})(?:\2\d{3})*)(?:([.,])(\d{1,2}))?$/.exec(text.trim())
  if (written === null || !isKnownCurrency(currency)) return undefined
  const digits = decimals[currency]
  const [, whole = '', group = ' ', point, fraction = ''] = written
  const isAmbiguous = digits === 0 ? point !== undefined : group.trim() !== '' && (point ?? group) === group
  const minor = Number(whole.replaceAll(/\D/g, '') + fraction.padEnd(digits, '0'))
  return isAmbiguous || minor < 1 || minor > AMOUNT_MINOR_MAX ? undefined : String(minor)
}

/** An amount as `amountOf` reads it: `50.00` in EUR. In minor units of a currency that the page does not know. */
export function writtenAmount(minor: number, currency: string): string {
  const digits = isKnownCurrency(currency) ? decimals[currency] : 0
  return (minor / 10 ** digits).toFixed(digits)
}

/** What an input for an amount takes: nothing that can be read in two ways. */
export const amountPattern = (currency: string): string =>
  isKnownCurrency(currency) && decimals[currency] === 2
    ? '(?![0.,]+$)\\d{1,6}([.,]\\d{1,2})?'
    : '[1-9]\\d{0,7}'

/** A bound is a day, such as 2026-11-21, or an instant of it, such as 2026-11-21T14:30 or 2026-11-21T14:30:05. */
function secondsOf(bound = '', offset: string, later: number): string | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?$/.exec(bound) ?? []
  const ms = Date.parse(`${day}T${time ?? '00:00'}${offset}`)
  return Number.isNaN(ms) ? undefined : String(ms / 1_000 + (time === undefined ? later : 0))
}

/** The seconds of a day, or of an instant of it, in a zone. */
export const secondsAt = (bound: string, zone: Zone): string | undefined =>
  secondsOf(bound, factsOf(zone).offset, 0)

/** A list's bound at an instant, in the zone of the reader. */
export function since(atSec: number, zone: Zone): Search {
  const inZone = new Date((atSec + factsOf(zone).offsetSec) * 1_000).toISOString().slice(0, 19)
  return { from: inZone, ...inAddress(zone) }
}

/** The zone of an address. UTC is left out. */
export const inAddress = (zone: Zone): Search => (zone === 'utc' ? {} : { zone })
