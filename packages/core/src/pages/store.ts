import type { SecondsRange } from '@merchant-payments/contract'
import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../base/columns.ts'
import { forEachShape, type Placing, type Reader, statement } from '@merchant-payments/db'
import { clientStatusTable, type Guarded } from '../base/client-status.ts'
import { type Id, type MerchantId, uuidFloorOf, uuidOf } from '../base/ids.ts'
import { bytesOf, cutPage, type Listed, type Shown, shownColumns } from './cut.ts'
import { cutPageOf, type Page, type PageQuery } from './page.ts'

type Table = 'payment_intents' | 'checkout_sessions' | 'customers' | 'invoices' | 'refunds'

export type ListedTable<Row, Of extends Table = Table> = Listed<Of, Row>
type AnyId = Id<'pi' | 'cs' | 'cus' | 'in' | 're'>

type Direction = 'asc' | 'desc'

/** What changes the text of a list's statement. A status is a part of it, so that the plan suits how rare it is. */
interface Shape {
  readonly direction: Direction
  readonly names: readonly string[]
  readonly status: string | null
}

interface Values extends Bounds {
  readonly merchantId: MerchantId
  readonly limit: number
  readonly read: number
}

type Filter<Name extends string> = Readonly<Record<Name, AnyId | null>> & { readonly status?: string | null }

/** A column whose index has the merchant and the id behind it, or a condition that one row at most fulfils. */
type Condition = string | ((uuid: RawBuilder<string>, merchantId: RawBuilder<string>) => RawBuilder<unknown>)

interface ListOf<Row, T, Name extends string> {
  readonly listed: ListedTable<Row>
  readonly alias: string
  readonly itemOf: (row: Row) => T
  readonly extra?: { readonly columns: RawBuilder<unknown>; readonly joins?: RawBuilder<unknown> }
  /** By the names of a filter's ids, the most selective first. A status comes last, and needs an index as well. */
  readonly conditions?: Readonly<Record<Name, Condition>>
}

/**
 * The list of a merchant's rows: newest first, also with `ending_before`, which gives the page just newer than its cursor.
 * The rows are cut before the joins, so that these look up only what is shown. Kysely builds a text for each shape once.
 */
export function listOf<Row extends object, T, Name extends string = never>({
  listed,
  alias,
  itemOf,
  extra,
  conditions,
}: ListOf<Row, T, Name>) {
  const known = Object.keys(conditions ?? {}) as Name[]
  const ofShape = forEachShape((shape: Shape) =>
    statement((value: Placing<Values & Record<string, string>>) => {
      const order = sql.raw(shape.direction)
      const merchantId = value('merchantId')
      const { where, by } = rowsOf(shape, value, conditions ?? {})
      const shown = cutPage<Row>({
        limit: value('limit'),
        columns: columnsOf('t', listed.columns),
        order: sql`t.id ${order}`,
        bytes: bytesOf(listed),
        rows: sql`
        select ${columnsOf(listed.table, listed.columns)} from ${sql.table(listed.table)}
        where ${where} order by ${sql.join(by.map((column) => sql`${sql.ref(column)} ${order}`))} limit ${value('read')}`,
      })
      return sql<Joined<Shown<Row>>>`
        select client.open, ${columnsOf(alias, shownColumns(listed))} ${extra === undefined ? sql`` : sql`, ${extra.columns}`}
        from ${clientStatusTable(merchantId)} left join ${shown} as ${sql.ref(alias)} on true ${extra?.joins ?? sql``}
        order by ${sql.ref(`${alias}.id`)} ${order}`
    }),
  )
  return async (
    reader: Reader,
    merchantId: MerchantId,
    page: PageQuery<AnyId>,
    filter: Filter<Name>,
  ): Promise<Guarded<Page<T>>> => {
    const { status = null } = filter
    const asked = known.flatMap((name) => {
      const id = filter[name]
      return id === null ? [] : [[name, uuidOf(id)] as const]
    })
    const list = ofShape({
      direction: page.endingBefore === null ? 'desc' : 'asc',
      names: asked.map(([name]) => name),
      status,
    })
    const rows = await list(reader, {
      ...Object.fromEntries(asked),
      ...boundsOf(page),
      merchantId,
      limit: page.limit,
      read: page.limit + 1,
    } as Values & Record<string, string>)
    const found = rows.filter((row): row is typeof row & Shown<Row> => row.followed !== null)
    return { open: rows[0]?.open === true, found: cutPageOf(found, page, itemOf) }
  }
}

type Joined<Row> = { readonly [K in keyof Row]: Row[K] | null } & { readonly open: boolean }

interface Bounds {
  readonly after: string
  readonly before: string
}

const EVERY_ID: Bounds = { after: '0'.repeat(32), before: 'f'.repeat(32) }

/** The floor of a second is no id, because an id has a version. */
function boundsOf({ created, startingAfter, endingBefore }: PageQuery<AnyId>): Bounds {
  const { after, before } = EVERY_ID
  const lower = [created && floorOfSec(created.fromSec), endingBefore && uuidOf(endingBefore)]
  const upper = [created && floorOfSec(created.untilSec), startingAfter && uuidOf(startingAfter)]
  return {
    after: lower.reduce<string>((last, id) => (id !== null && id > last ? id : last), after),
    before: upper.reduce<string>((first, id) => (id !== null && id < first ? id : first), before),
  }
}

/**
 * Which rows a list reads, and in which order. Only one index fits, whatever the statistics say when a connection makes its
 * plan: that of the first filter, whose columns are compared as one row, or the primary key. `greatest` hides the columns
 * of the other filters from their indexes.
 */
function rowsOf(
  { names, status }: Shape,
  value: Placing<Values & Record<string, string>>,
  conditions: Readonly<Record<string, Condition>>,
): { readonly where: RawBuilder<unknown>; readonly by: readonly string[] } {
  const span = { merchantId: value('merchantId'), after: value('after'), before: value('before') }
  const [first, ...others] = [
    ...names.map((name) => ({ is: conditions[name] ?? name, to: sql<string>`${value(name)}::uuid` })),
    ...(status === null ? [] : [{ is: 'status', to: sql<string>`${sql.lit(status)}` }]),
  ]
  const hidden = others.map(({ is, to }) =>
    typeof is === 'string' ? sql`greatest(${sql.ref(is)}) = ${to}` : is(to, span.merchantId),
  )
  const all = (conditions: readonly RawBuilder<unknown>[]) => sql.join([...conditions, ...hidden], sql` and `)
  if (first === undefined) return { where: rowsWithin([], span), by: ['merchant_id', 'id'] }
  const { is, to } = first
  if (typeof is !== 'string') {
    return { where: all([is(to, span.merchantId), rowsWithin([], span)]), by: ['merchant_id', 'id'] }
  }
  // The index of a column that can be null leaves out nulls, and a comparison of rows does not rule them out.
  const where = all([sql`${sql.ref(is)} is not null`, rowsWithin([{ column: is, to }], span)])
  return { where, by: [is, 'merchant_id', 'id'] }
}

/**
 * A merchant's rows, for an order by merchant and id. The planner expects few rows of a merchant that came after the last
 * ANALYZE. If the merchant were compared alone, it could sort all of them by another index.
 */
export const rowsOfMerchant = (merchantId: MerchantId) =>
  rowsWithin([], {
    merchantId: sql`${merchantId}`,
    after: sql`${EVERY_ID.after}`,
    before: sql`${EVERY_ID.before}`,
  })

interface Span {
  readonly merchantId: RawBuilder<string>
  readonly after: RawBuilder<string>
  readonly before: RawBuilder<string>
}

const rowsWithin = (
  led: readonly { readonly column: string; readonly to: RawBuilder<string> }[],
  { merchantId, after, before }: Span,
) => {
  const columns = sql.join([...led.map(({ column }) => sql.ref(column)), sql`merchant_id`, sql`id`])
  const rowAt = (id: RawBuilder<string>) =>
    sql.join([...led.map(({ to }) => to), merchantId, sql`${id}::uuid`])
  return sql<boolean>`(${columns}) > (${rowAt(after)}) and (${columns}) < (${rowAt(before)})`
}

/** `created` is the second of an id, which holds milliseconds. So its bounds are bounds of the id itself. */
export const createdWithin = ({ fromSec, untilSec }: SecondsRange, id: RawBuilder<unknown> = sql.ref('id')) =>
  sql<boolean>`${id} >= ${floorOfSec(fromSec)}::uuid and ${id} < ${floorOfSec(untilSec)}::uuid`

export const floorOfSec = (sec: number) => uuidFloorOf(Math.min(sec * 1_000, INSTANT_MAX_MS))

/** The latest time that the twelve hex digits of a UUIDv7 hold. */
const INSTANT_MAX_MS = 0xffff_ffff_ffff
