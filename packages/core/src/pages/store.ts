import type { SecondsRange } from '@merchant-payments/contract'
import { type RawBuilder, sql } from 'kysely'
import { type Id, type MerchantId, uuidFloorOf, uuidOf } from '../base/ids.ts'
import { bytesOf, columnsOf, cutPage, type Listed } from './cut.ts'
import type { PageQuery } from './page.ts'

type Table = 'payment_intents' | 'checkout_sessions' | 'customers' | 'invoices' | 'refunds'

export type ListedTable<Row, Of extends Table = Table> = Listed<Of, Row>
type AnyId = Id<'pi' | 'cs' | 'cus' | 'in' | 're'>

/** Required values of columns. Null requires nothing. */
type Filter = Readonly<Record<string, string | RawBuilder<string> | null>>

const direction = ({ endingBefore }: PageQuery<AnyId>) => (endingBefore === null ? sql`desc` : sql`asc`)

/**
 * Newest first or, before a cursor, oldest first. The rows are cut here, so that joins look up only these. Each
 * column of a filter needs an index of it, the merchant and the id.
 */
export const pageRows = <Row>(
  listed: ListedTable<Row>,
  merchantId: MerchantId,
  page: PageQuery<AnyId>,
  filter: Filter = {},
) =>
  cutPage<Row>({
    limit: page.limit,
    columns: columnsOf('t', listed.columns),
    order: pageOrder('t.id', page),
    bytes: bytesOf(listed),
    rows: sql`
    select ${columnsOf(listed.table, listed.columns)} from ${sql.table(listed.table)}
    where ${rowsOf(merchantId, filter, boundsOf(page))} order by merchant_id ${direction(page)}, id ${direction(page)} limit ${page.limit + 1}`,
  })

/** The smallest and the largest id of a range, which are not in it. */
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

function rowsOf(merchantId: MerchantId, filter: Filter, bounds: Bounds) {
  const isUnfiltered = Object.values(filter).every((value) => value === null)
  if (isUnfiltered) return rowsOfMerchant(merchantId, bounds)
  const { after, before } = bounds
  return sql`merchant_id = ${merchantId} ${holds(filter)}
      ${after === EVERY_ID.after ? sql`` : sql`and id > ${after}::uuid`}
      ${before === EVERY_ID.before ? sql`` : sql`and id < ${before}::uuid`}`
}

/**
 * A merchant's rows, for an order by merchant and id. The planner expects few rows of a merchant that came after the last
 * ANALYZE. If the merchant were compared alone, it could sort all of them by another index.
 */
export const rowsOfMerchant = (merchantId: MerchantId, { after, before } = EVERY_ID) =>
  sql<boolean>`(merchant_id, id) > (${merchantId}, ${after}::uuid) and (merchant_id, id) < (${merchantId}, ${before}::uuid)`

/** Repeats the order for the whole statement, because a join guarantees none. */
export const pageOrder = (column: string, page: PageQuery<AnyId>) =>
  sql`${sql.ref(column)} ${direction(page)}`

const holds = (filter: Filter) => {
  const asked = Object.entries(filter).filter(([, value]) => value !== null)
  return sql.join(
    asked.map(([column, value]) => sql`and ${sql.ref(column)} = ${value}`),
    sql` `,
  )
}

/** `created` is the second of an id, which holds milliseconds. So its bounds are bounds of the id itself. */
export const createdWithin = ({ fromSec, untilSec }: SecondsRange, id: RawBuilder<unknown> = sql.ref('id')) =>
  sql<boolean>`${id} >= ${floorOfSec(fromSec)}::uuid and ${id} < ${floorOfSec(untilSec)}::uuid`

/** The smallest uuid of a second. */
export const floorOfSec = (sec: number) => uuidFloorOf(Math.min(sec * 1_000, INSTANT_MS_MAX))

/** The latest time that the twelve hex digits of a UUIDv7 hold. */
const INSTANT_MS_MAX = 0xffff_ffff_ffff
