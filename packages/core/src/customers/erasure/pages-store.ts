import { type RawBuilder, sql } from 'kysely'
import { type CustomerId, type MerchantId, uuidOf } from '../../base/ids.ts'
import type { RowKey } from './page.ts'

export interface Scope {
  readonly merchantId: MerchantId
  readonly customerId: CustomerId
  readonly begunAtMs: number
}

/** A column of a table's key after `merchant_id`. `least` is below every possible value. */
interface KeyColumn {
  readonly name: string
  readonly type: 'uuid' | 'text' | 'smallint'
  readonly least: string
}

export const uuidColumn = (name: string): KeyColumn => ({
  name,
  type: 'uuid',
  least: '00000000-0000-0000-0000-000000000000',
})
export const textColumn = (name: string): KeyColumn => ({ name, type: 'text', least: '' })
export const numberColumn = (name: string): KeyColumn => ({ name, type: 'smallint', least: '-1' })

export type Key = readonly [KeyColumn, ...KeyColumn[]]

export const keyColumnsOf = (key: Key, alias?: string) =>
  sql.join(key.map(({ name }) => sql.ref(alias === undefined ? name : `${alias}.${name}`)))

export const textOf = (key: Key, alias: string) =>
  sql<string[]>`array[${sql.join(key.map(({ name }) => sql`${sql.ref(`${alias}.${name}`)}::text`))}]`

export const typesOf = (key: Key) => sql.raw(key.map(({ name, type }) => `${name} ${type}`).join(', '))

/** Whether `s` is the other row. Compares columns, because PostgreSQL could compare all rows of a given merchant. */
export const sameRow = (key: Key, other: string): RawBuilder<unknown> =>
  sql.join(
    ['merchant_id', ...key.map(({ name }) => name)].map(
      (column) => sql`${sql.ref(`s.${column}`)} = ${sql.ref(`${other}.${column}`)}`,
    ),
    sql` and `,
  )

/**
 * In the order of the table's index by customer. The comparison of rows leaves the planner no other index: on a
 * young table it would find the primary key as good.
 */
export const rowsAfter = (
  key: Key,
  { merchantId, customerId }: Scope,
  from: RowKey | null,
  limit: number,
) => sql`
  where customer_id is not null
    and (customer_id, merchant_id, ${keyColumnsOf(key)}) > (${uuidOf(customerId)}::uuid, ${merchantId}, ${sql.join(
      key.map(({ type, least }, n) => sql`${from?.[n] ?? least}::${sql.raw(type)}`),
    )})
    and (customer_id, merchant_id) <= (${uuidOf(customerId)}::uuid, ${merchantId})
  order by customer_id, merchant_id, ${keyColumnsOf(key)} limit ${limit}`
