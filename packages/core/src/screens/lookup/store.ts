import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import type { Msisdn } from '../../base/phone.ts'
import { rowById } from '../../pages/staff/store.ts'

export interface FoundRow {
  readonly merchant_id: string
  readonly id: string
  readonly payment_intent_id?: string | null | undefined
}

export const findAnywhere = (
  reader: Reader,
  table: Parameters<typeof rowById>[0],
  id: Parameters<typeof rowById>[1],
): Promise<FoundRow | undefined> =>
  reader
    .selectFrom(rowById<FoundRow>(table, id).as<'r'>(sql.ref('r')))
    .selectAll('r')
    .executeTakeFirst()

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
        select * from ${sql.table(table)} where rail = r.rail and reference = ${reference} limit 1) t`,
  )

const found = (reader: Reader, rows: RawBuilder<unknown>): Promise<FoundRow[]> =>
  reader
    .selectFrom(sql<FoundRow>`(${rows})`.as<'r'>(sql.ref('r')))
    .selectAll('r')
    .execute()
