import { type Compilable, type Placing, type Reader, statement } from '@merchant-payments/db'
import { sql } from 'kysely'
import { readerStatus } from '../base/client-status.ts'
import type { MerchantId } from '../base/ids.ts'
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

const oneKey = (value: Placing<KeyOfRow>) => sql<Keyed>`(
  select 1 as n, client.open, ${value('merchantId')}::text as merchant_id, ${value('id')}::uuid as id
  from (${readerStatus(value('merchantId'))}) client)`

const manyKeys = (value: Placing<Keys>) => sql<Keyed>`(
  select k.n::integer, client.open, k.merchant_id, k.id
  from unnest(${value('merchants')}::text[], ${value('ids')}::uuid[]) with ordinality as k (merchant_id, id, n)
  cross join lateral (${readerStatus(sql<string>`k.merchant_id`)}) client)`

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
