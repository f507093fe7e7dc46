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
  'actor',
  'action',
  'target',
  'from',
  'until',
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

const DAY_SEC = 86_400

/** Turns days and instants in UTC into seconds, and drops invalid ones. A day `until` counts to its end. */
export function queryOf({ from, until, ...rest }: Search): Record<string, string | undefined> {
  return {
    ...rest,
    'created[gte]': secondsOf(from, 0),
    'created[lt]': secondsOf(until, DAY_SEC),
  }
}

/** A bound is a day, such as 2026-11-21, or an instant of it, such as 2026-11-21T14:30 or 2026-11-21T14:30:05. */
function secondsOf(bound = '', later: number): string | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?$/.exec(bound) ?? []
  const ms = Date.parse(`${day}T${time ?? '00:00'}Z`)
  return Number.isNaN(ms) ? undefined : String(ms / 1_000 + (time === undefined ? later : 0))
}

/** An instant as a bound of a list. */
export const addressOf = (atSec: number): string => new Date(atSec * 1_000).toISOString().slice(0, 19)
