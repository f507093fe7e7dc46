import type { Replica } from '../harness.ts'
import { walk } from './pages.ts'

interface FilteredPages {
  readonly query: string
  readonly older: readonly unknown[]
  readonly newer: readonly unknown[]
}

/** Reads a list with each filter, in pages of two, in both directions. */
export async function filteredPages<Row>(
  api: Replica,
  path: string,
  filters: readonly TestFilter<Row>[],
  merchant?: string,
): Promise<FilteredPages[]> {
  const shown: FilteredPages[] = []
  for (const { query } of filters) {
    const older = await walk(api, `${path}?${query}`, 2, 'starting_after', merchant)
    const newer = await walk(api, `${path}?${query}`, 2, 'ending_before', merchant)
    shown.push({ query, older, newer })
  }
  return shown
}

/** The expected result for these rows, which are newest first. */
export const keptPages = <Row>(filters: readonly TestFilter<Row>[], rows: readonly Row[]): FilteredPages[] =>
  filters.map(({ query, keeps }) => {
    const older = rows.filter(keeps)
    return { query, older, newer: older.toReversed() }
  })

/** A filter in a query's spelling, and the rows that it matches. */
export interface TestFilter<Row> {
  readonly query: string
  readonly keeps: (row: Row) => boolean
}

/** Every combination of one filter, or none, per group. */
export function combinations<Row>(groups: readonly (readonly TestFilter<Row>[])[]): TestFilter<Row>[] {
  const none: TestFilter<Row> = { query: '', keeps: () => true }
  return groups.reduce<TestFilter<Row>[]>(
    (chosen, group) =>
      chosen.flatMap((one) =>
        [none, ...group].map((other) => ({
          query: `${one.query}${other.query}`,
          keeps: (row: Row) => one.keeps(row) && other.keeps(row),
        })),
      ),
    [none],
  )
}

/** Each value of a field, and some that no row has. */
export const fieldFilters = <Row, Field extends string & keyof Row>(
  field: Field,
  values: readonly Row[Field][],
): TestFilter<Row>[] =>
  values.map((value) => ({ query: `${field}=${String(value)}&`, keeps: (row) => row[field] === value }))

/** Each bound, around a second in which a row was created. */
export function createdFilters(atSec: number): TestFilter<{ readonly created: number }>[] {
  const within = (query: string, keeps: (created: number) => boolean) => ({
    query: `${query}&`,
    keeps: ({ created }: { readonly created: number }) => keeps(created),
  })
  return [
    within(`created=${atSec}`, (created) => created === atSec),
    within(`created[gt]=${atSec}`, (created) => created > atSec),
    within(`created[gte]=${atSec}`, (created) => created >= atSec),
    within(`created[lt]=${atSec}`, (created) => created < atSec),
    within(`created[lte]=${atSec}`, (created) => created <= atSec),
    within(`created[gt]=${atSec - 2}&created[lt]=${atSec + 1}`, (at) => at > atSec - 2 && at <= atSec),
    within(`created[gte]=${atSec}&created[lt]=${atSec}`, () => false),
    within('created[gte]=0&created[lte]=9999999999', () => true),
    within(`created[gt]=${atSec}&created[gte]=0`, (created) => created > atSec),
    within(`created[lt]=${atSec}&created[lte]=9999999999`, (created) => created < atSec),
  ]
}

/** Each fault of `created`, and the parameter that its refusal names. */
export const createdFaults: readonly [filter: string, param: string][] = [
  ['created=', 'created'],
  ['created=yesterday', 'created'],
  ['created=-1', 'created'],
  ['created=1.5', 'created'],
  ['created=99999999999', 'created'],
  ['created=1&created=2', 'created'],
  ['created[gte]=soon', 'created[gte]'],
  ['created[after]=1', 'created[after]'],
  ['created[gte][x]=1', 'created[gte]'],
  ['created[__proto__]=1', 'created[__proto__]'],
  ['created[toString]=1', 'created[toString]'],
]

/** Each fault of a filter by a word or an id. */
export const valueFaults = (
  param: string,
  ...wrong: readonly string[]
): [filter: string, param: string][] => [
  [`${param}=`, param],
  [`${param}=x`, param],
  [`${param}[]=x`, param],
  [`${param}[a]=x`, param],
  ...wrong.map((value): [string, string] => [`${param}=${value}`, param]),
]
