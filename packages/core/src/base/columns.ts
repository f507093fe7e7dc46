import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'

/** A part of a statement. */
export type Part = RawBuilder<unknown>

type Selected<Alias extends string, Column extends string> = readonly `${Alias}.${Column}`[]

const selections = new WeakMap<
  readonly string[],
  Map<string, readonly [AliasedRawBuilder<unknown, string>]>
>()

/**
 * Names columns of a joined table for a query's `select`. A prepared statement that expands rows (`*`) fails once a later
 * release adds a column, so every query names what it reads.
 *
 * Kysely would parse each name again for each query, 16 us for 22 columns. It takes this text as one expression, whose
 * alias is the name of its last column.
 */
export function columnsIn<Alias extends string, Column extends string>(
  alias: Alias,
  columns: readonly Column[],
): Selected<Alias, Column> {
  const known = selections.get(columns) ?? new Map<string, readonly [AliasedRawBuilder<unknown, string>]>()
  const selection = known.get(alias) ?? select(alias, columns)
  selections.set(columns, known.set(alias, selection))
  return selection as unknown as Selected<Alias, Column>
}

function select(alias: string, columns: readonly string[]): readonly [AliasedRawBuilder<unknown, string>] {
  const names = columns.map((column) => `"${alias}"."${column}"`)
  const last = columns.at(-1)
  if (last === undefined) throw new RangeError('a query selects no column')
  return [sql.raw(names.join(', ')).as(last)]
}

/** The same names within hand-written SQL. */
export const columnsOf = (alias: string, columns: readonly string[]) =>
  sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)))

/** The time in ms at which an id was minted. */
export const mintedMsOf = (uuidText: RawBuilder<unknown>) =>
  sql<number>`('x' || left(replace(${uuidText}, '-', ''), 12))::bit(48)::bigint`

/**
 * Whether a row that is found by its key is in a state. It names all other states: `=` would also suit an index of the
 * rows in that state, and a plan may prefer that index to the key (docs/decisions/0008). The types demand that none is
 * left out.
 *
 * @example isInState<SessionStatus, 'open'>('s.status', { complete: true, expired: true })
 */
export const isInState = <State extends string, Is extends State>(
  column: string,
  others: Readonly<Record<Exclude<State, Is>, true>>,
): RawBuilder<boolean> =>
  sql`${sql.ref(column)} not in (${sql.join(Object.keys(others).map((state) => sql.lit(state)))})`
