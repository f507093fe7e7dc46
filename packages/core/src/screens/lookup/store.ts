import type { Currency } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import type { Msisdn } from '../../base/phone.ts'
import { paidBy } from '../../charges/staff/store.ts'
import { columnsOf } from '../../pages/cut/store.ts'
import { rowById } from '../../pages/staff/store.ts'

export interface FoundRow {
  readonly merchant_id: string
  readonly id: string
  readonly payment_intent_id?: string | null | undefined
  readonly status?: string | null | undefined
  readonly amount?: number | null | undefined
  /** An invoice's amount. */
  readonly total?: number | undefined
  readonly currency?: Currency | null | undefined
}

type Table = Parameters<typeof rowById>[0]

const ofCharge = ['merchant_id', 'id', 'payment_intent_id', 'status', 'amount', 'currency'] as const

const columnsByTable = {
  payment_intents: ['merchant_id', 'id', 'status', 'amount', 'currency'],
  charges: ofCharge,
  refunds: ofCharge,
  invoices: ['merchant_id', 'id', 'payment_intent_id', 'status', 'total', 'currency'],
  checkout_sessions: ['merchant_id', 'id', 'payment_intent_id', 'status'],
  events: ['merchant_id', 'id'],
  customers: ['merchant_id', 'id'],
} as const satisfies Record<Table, readonly (keyof FoundRow)[]>

export function findAnywhere(
  reader: Reader,
  table: Table,
  id: Parameters<typeof rowById>[1],
): Promise<FoundRow | undefined> {
  const columns: readonly (keyof FoundRow)[] = columnsByTable[table]
  return reader
    .selectFrom(rowById<FoundRow>(table, id, columns).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', columns))
    .executeTakeFirst()
}

export const findCustomersWith = (reader: Reader, phone: Msisdn, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ['merchant_id', 'id'],
    sql`select merchant_id, id from customers
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
    ofCharge,
    sql`select ${columnsOf('t', ofCharge)} from unnest(${rails}::text[]) r (rail)
      cross join lateral (
        select ${columnsOf('f', ofCharge)} from ${sql.table(table)} f
        where f.rail = r.rail and f.reference = ${reference} limit 1) t`,
  )

/** The newest charges whose payer's number ends with these digits: four at least, or the whole number. */
export const findChargesOfPayer = (reader: Reader, ending: string, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ofCharge,
    sql`select ${columnsOf('t', ofCharge)} from charges t where ${paidBy('t', ending)} order by t.id desc limit ${max}`,
  )

const found = (
  reader: Reader,
  columns: readonly (keyof FoundRow)[],
  rows: RawBuilder<unknown>,
): Promise<FoundRow[]> =>
  reader
    .selectFrom(sql<FoundRow>`(${rows})`.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', columns))
    .execute()
