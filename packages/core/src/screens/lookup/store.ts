import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import type { Msisdn } from '../../base/phone.ts'
import { rowById } from '../../pages/staff/store.ts'

export interface FoundRow {
  readonly merchant_id: string
  readonly id: string
  readonly payment_intent_id?: string | null | undefined
}

type Table = Parameters<typeof rowById>[0]

const ofIntents: ReadonlySet<Table> = new Set(['charges', 'refunds', 'checkout_sessions', 'invoices'])

export function findAnywhere(
  reader: Reader,
  table: Table,
  id: Parameters<typeof rowById>[1],
): Promise<FoundRow | undefined> {
  const columns = [
    'merchant_id',
    'id',
    ...(ofIntents.has(table) ? (['payment_intent_id'] as const) : []),
  ] as const
  return reader
    .selectFrom(rowById<FoundRow>(table, id, columns).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', columns))
    .executeTakeFirst()
}

export const findCustomersWith = (reader: Reader, phone: Msisdn, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    sql`select merchant_id, id, null::uuid as payment_intent_id from customers
      where phone = ${phone} and phone is not null and phone <> '[redacted]' order by id desc limit ${max}`,
  )

export const findReference = (
  reader: Reader,
  table: 'charges' | 'refunds',
  rails: readonly string[],
  reference: string,
): Promise<FoundRow[]> =>
  found(
    reader,
    sql`select t.merchant_id, t.id, t.payment_intent_id from unnest(${rails}::text[]) r (rail)
      cross join lateral (
        select merchant_id, id, payment_intent_id from ${sql.table(table)} where rail = r.rail and reference = ${reference} limit 1) t`,
  )

const found = (reader: Reader, rows: RawBuilder<unknown>): Promise<FoundRow[]> =>
  reader
    .selectFrom(sql<FoundRow>`(${rows})`.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', ['merchant_id', 'id', 'payment_intent_id']))
    .execute()
