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

/** Turns whole days in UTC into instants and drops invalid days. */
export function queryOf({ from, until, ...rest }: Search): Record<string, string | undefined> {
  return {
    ...rest,
    'created[gte]': secondsOf(from, 0),
    'created[lt]': secondsOf(until, DAY_SEC),
  }
}

function secondsOf(day: string | undefined, later: number): string | undefined {
  const ms = /^\d{4}-\d\d-\d\d$/.test(day ?? '') ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(ms) ? undefined : String(ms / 1_000 + later)
}
