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
    where merchant_id = ${merchantId} ${holds(filter)}
      ${page.created === null ? sql`` : sql`and ${createdWithin(page.created)}`}
      ${page.startingAfter === null ? sql`` : sql`and id < ${uuidOf(page.startingAfter)}::uuid`}
      ${page.endingBefore === null ? sql`` : sql`and id > ${uuidOf(page.endingBefore)}::uuid`}
    order by id ${direction(page)} limit ${page.limit + 1}`,
  })

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
