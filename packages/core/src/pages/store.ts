import { sql } from 'kysely'
import { type Id, type MerchantId, uuidOf } from '../ids.ts'
import type { PageQuery } from './page.ts'

type Table = 'payment_intents' | 'checkout_sessions' | 'customers' | 'invoices' | 'refunds'
type AnyId = Id<'pi' | 'cs' | 'cus' | 'in' | 're'>

const direction = ({ endingBefore }: PageQuery<AnyId>) => (endingBefore === null ? sql`desc` : sql`asc`)

/**
 * The rows of a page and one more, as a table to join to the door: newest first or, before a cursor, oldest first. Cut
 * here, so that whatever is joined to it is looked up for these rows alone.
 *
 * @param where what else the rows are chosen by
 */
export const pageRows = <Row>(
  table: Table,
  merchantId: MerchantId,
  page: PageQuery<AnyId>,
  where = sql<boolean>`true`,
) => sql<Row>`(
    select * from ${sql.table(table)} where merchant_id = ${merchantId} and ${where}
      ${page.startingAfter === null ? sql`` : sql`and id < ${uuidOf(page.startingAfter)}::uuid`}
      ${page.endingBefore === null ? sql`` : sql`and id > ${uuidOf(page.endingBefore)}::uuid`}
    order by id ${direction(page)} limit ${page.limit + 1}
  )`

/** The same order for the whole statement: a join promises none. */
export const pageOrder = (column: string, page: PageQuery<AnyId>) =>
  sql`${sql.ref(column)} ${direction(page)}`
