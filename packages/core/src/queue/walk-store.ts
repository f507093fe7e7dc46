import type { Reader, Schema } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../base/columns.ts'
import { isUnreadable } from '../base/refused-statements.ts'
import { rowsJson } from '../base/rows-json.ts'
import { readInHalves, type SetAside } from './read-in-halves.ts'
import type { Place, Round, Step } from './walk.ts'

const starts = {
  timestamptz: '-infinity',
  date: '-infinity',
  uuid: '00000000-0000-0000-0000-000000000000',
  text: '',
} as const

interface WalkOf {
  readonly table: keyof Schema
  /**
   * The column by whose index the walk goes, then the primary key. PostgreSQL reads rows of the same value of the former
   * together, so they must be few.
   */
  readonly order: Readonly<Record<string, keyof typeof starts>>
  readonly reads?: readonly string[]
  /** Whether a row `t` was due when the round began: with the order, a range of the index. */
  readonly isDue: RawBuilder<boolean>
  readonly mayTake: RawBuilder<boolean>
  readonly readMax: number
  readonly takenMax: number
  /** Default: the key. */
  readonly shown?: Shown
}

type RowKey = Readonly<Record<string, string>>

interface Shown {
  readonly columns: readonly string[]
  readonly row: RawBuilder<unknown>
  readonly setAside: SetAside<RowKey>
}

interface End {
  readonly place: number
  readonly next: Place | null
}

/**
 * Finds the rows of one step. The limit comes before the filters, so a step costs the same however many rows in front must
 * wait. If PostgreSQL cannot read what is shown of a row, finds the keys first.
 */
export async function findStep<Row>(reader: Reader, round: Round, walk: WalkOf): Promise<Step<Row>> {
  const { shown, ...keysOnly } = walk
  try {
    return await findShown<Row>(reader, round, walk)
  } catch (error) {
    if (shown === undefined || !isUnreadable(error)) throw error
    const { found, next } = await findShown<RowKey>(reader, round, keysOnly)
    const rows = await readInHalves(
      found,
      (keys) => readShown<Row>(reader, walk.order, shown, keys),
      shown.setAside,
    )
    return { found: rows.flat(), next }
  }
}

async function readShown<Row>(
  reader: Reader,
  order: WalkOf['order'],
  { columns, row }: Shown,
  keys: readonly RowKey[],
): Promise<readonly Row[]> {
  const key = Object.entries(order).slice(1)
  const types = sql.join(key.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))
  const rows = sql`(
    select ${columnsOf('o', columns)} from json_to_recordset(${rowsJson(keys)}::json) as f (${types})
    cross join lateral (${row}) o)`
  return reader
    .selectFrom(rows.as<'r'>(sql.ref('r')))
    .select(sql<Row>`${columnsOf('r', columns)}`.as(columns.at(-1) ?? ''))
    .execute() as Promise<readonly unknown[]> as Promise<readonly Row[]>
}

async function findShown<Row>(reader: Reader, { after }: Round, walk: WalkOf): Promise<Step<Row>> {
  const keys = Object.keys(walk.order)
  const columns = walk.shown?.columns ?? keys.slice(1)
  const step = sql<End>`(
    with ${partsOf(walk, after)}
    select f.place, null::text[] as next, ${columnsOf('o', columns)} from found f
    cross join lateral (${walk.shown?.row ?? sql`select ${columnsOf('f', columns)}`}) o
    union all
    select 0, ${endOf(walk)}, ${sql.join(columns.map(() => sql`null`))})`
  const rows = await reader
    .selectFrom(step.as<'r'>(sql.ref('r')))
    .select(['r.place', 'r.next'])
    .select(sql`${columnsOf('r', columns)}`.as(columns.at(-1) ?? ''))
    .orderBy('r.place')
    .execute()
  const [end, ...found] = rows
  return { found: found as readonly unknown[] as readonly Row[], next: end?.next ?? null }
}

function partsOf(
  { table, order, reads = [], isDue, mayTake, readMax, takenMax }: WalkOf,
  after: Place | null,
) {
  const keys = Object.keys(order)
  const read = columnsOf('t', [...keys, ...reads])
  const inOrder = columnsOf('t', keys)
  const start = Object.values(order).map((type, n) => sql`${after?.[n] ?? starts[type]}::${sql.raw(type)}`)
  return sql`
    step as materialized (
      select ${read}, row_number() over (order by ${inOrder}) as place from (
        select ${read} from ${sql.table(table)} t
        where ${isDue} and (${inOrder}) > (${sql.join(start)})
        order by ${inOrder} limit ${sql.lit(readMax)}) t),
    found as materialized (
      select ${inOrder}, t.place from step t where ${mayTake} order by t.place limit ${sql.lit(takenMax)})`
}

/** The place of the last row that a step took, or of the last one that it read. Null if it read the last one of all. */
function endOf({ order, readMax, takenMax }: WalkOf) {
  const values = Object.keys(order).map((key) => sql`${sql.ref(`s.${key}`)}::text`)
  return sql`(
    select array[${sql.join(values)}] from step s
    where s.place = coalesce((select f.place from found f order by f.place offset ${sql.lit(takenMax - 1)} limit 1), ${sql.lit(readMax)}))`
}
