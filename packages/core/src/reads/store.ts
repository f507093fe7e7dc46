import { type Compilable, type Placing, type Reader, statement } from '@merchant-payments/db'
import { type JoinBuilder, sql } from 'kysely'
import { type Guarded, readerStatus } from '../base/client-status.ts'
import type { Id, MerchantId, Prefix } from '../base/ids.ts'
import type { Keys } from '../base/in-rows.ts'
import { readTogether } from '../commit/read-together.ts'

interface KeyOfRow {
  readonly merchantId: MerchantId
  readonly id: string
}

interface Keyed {
  readonly n: number
  readonly open: boolean
  readonly merchant_id: string
  readonly id: string
}

const keyedBy = (reader: Reader, keys: ReturnType<typeof oneKey>) =>
  reader.selectFrom(keys.as<'client'>(sql.ref('client'))).select(['client.n', 'client.open'])

/** A select that has a row of `client` for each key. A left join to it gives the row of the key, or nulls. */
export type KeyedSelect = ReturnType<typeof keyedBy>

/** Joins the table `alias` by the key, within the merchant alone (spec 4.4.5). The statement also checks the client (5.1.5). */
export const ofClient =
  <Alias extends string>(alias: Alias) =>
  <DB extends Record<Alias, { merchant_id: string; id: string }>, TB extends keyof DB>(
    join: JoinBuilder<DB, TB>,
  ) => {
    const [merchantId, id] = [sql.ref(`${alias}.merchant_id`), sql.ref(`${alias}.id`)]
    return join.on(sql<boolean>`${merchantId} = "client"."merchant_id" and ${id} = "client"."id"`)
  }

const oneKey = (value: Placing<KeyOfRow>) => sql<Keyed>`(
  select 1 as n, client.open, ${value('merchantId')}::text as merchant_id, ${value('id')}::uuid as id
  from (${readerStatus(value('merchantId'))}) client)`

const manyKeys = (value: Placing<Keys>) => sql<Keyed>`(
  select k.n::integer, client.open, k.merchant_id, k.id
  from unnest(${value('merchants')}::text[], ${value('ids')}::uuid[]) with ordinality as k (merchant_id, id, n)
  cross join lateral (${readerStatus(sql<string>`k.merchant_id`)}) client)`

/** A row of `client` with the row that was joined to it, or with nulls. */
export type Opened<Row> = { readonly [K in keyof Row]: Row[K] | null } & { readonly open: boolean | null }

export const guarded = <Row extends { readonly id: string }, Found>(
  row: Opened<NoInfer<Row>> | undefined,
  of: (row: Row) => Found,
): Guarded<Found | undefined> => ({
  open: row?.open === true,
  found: row === undefined || row.id === null ? undefined : of(row as Row),
})

export type Find<P extends Prefix, Found> = (
  reader: Reader,
  merchantId: MerchantId,
  id: Id<P>,
) => Promise<Guarded<Found | undefined>>

type Read<Row> = (reader: Reader, key: KeyOfRow) => Promise<Row>

interface Numbered {
  readonly n: number
}

/**
 * A read of one row by its key. It always gives a row, with `open` and with nulls if there is no such row. Its text is
 * built once (see `statement`).
 */
export function oneRow<Row extends Numbered>(build: (keyed: KeyedSelect) => Compilable<Row>): Read<Row> {
  const read = statement((value: Placing<KeyOfRow>, reader) => build(keyedBy(reader, oneKey(value))))
  return async (reader, key) => {
    const [row] = await read(reader, key)
    if (row === undefined) throw new Error('a guarded read returned no row')
    return row
  }
}

/** The same, in statements that concurrent reads share (see `readTogether`). */
export function smallRow<Row extends Numbered>(build: (keyed: KeyedSelect) => Compilable<Row>): Read<Row> {
  const alone = oneRow(build)
  const many = statement((value: Placing<Keys>, reader) => build(keyedBy(reader, manyKeys(value))))
  return readTogether<KeyOfRow, Row>({
    ownerOf: ({ merchantId }) => merchantId,
    together: async (reader, keys) => {
      const [first] = keys
      if (first !== undefined && keys.length === 1) return [await alone(reader, first)]
      const rows = await many(reader, {
        merchants: keys.map(({ merchantId }) => merchantId),
        ids: keys.map(({ id }) => id),
      })
      const found = new Map(rows.map((row) => [row.n, row]))
      return keys.map((_, at) => {
        const row = found.get(at + 1)
        if (row === undefined) throw new Error('a guarded read returned no row')
        return row
      })
    },
  })
}
