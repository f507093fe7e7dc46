import type { Currency } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { type Id, uuidFloorOf, uuidOf } from '../../base/ids.ts'
import type { Msisdn } from '../../base/phone.ts'
import { endsAs, paidBy } from '../../charges/staff/store.ts'
import { hasId, newestSince, ofEachMerchant, rowById } from '../../pages/staff/store.ts'
import type { MetadataFilter } from '../../payment-intents/staff/metadata.ts'
import { hasMetadata } from '../../payment-intents/staff/store.ts'
import { railsOf } from '../../queue/floors.ts'
import type { NameQuestion } from './question.ts'

export interface FoundRow {
  readonly merchant_id: string
  readonly id: string
  readonly payment_intent_id?: string | null | undefined
  readonly status?: string | null | undefined
  readonly amount?: number | null | undefined
  readonly total?: number | undefined
  readonly currency?: Currency | null | undefined
  readonly name?: string | null | undefined
}

type Table = Parameters<typeof rowById>[0]

const ofCharge = ['merchant_id', 'id', 'payment_intent_id', 'status', 'amount', 'currency'] as const
const ofPart = [...ofCharge, 'payer_msisdn'] as const
const ofIntent = ['merchant_id', 'id', 'status', 'amount', 'currency'] as const
const ofSession = ['merchant_id', 'id', 'payment_intent_id', 'status'] as const
const ofCustomer = ['merchant_id', 'id', 'name'] as const

const columnsByTable = {
  payment_intents: ofIntent,
  charges: ofCharge,
  refunds: ofCharge,
  invoices: ['merchant_id', 'id', 'payment_intent_id', 'status', 'total', 'currency'],
  checkout_sessions: ofSession,
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

/** With the state of its instruction, because a return has no other. */
export const findReturn = (reader: Reader, id: Id<'rt'>): Promise<FoundRow | undefined> => {
  const row = sql`
    select t.merchant_id, t.id, t.payment_intent_id, t.instruction as status, t.amount, t.currency
    from charge_returns t where t.merchant_id = tenant.merchant_id and t.id = ${uuidOf(id)}::uuid`
  return reader
    .selectFrom(
      sql<FoundRow>`(${ofEachMerchant('charge_returns', ofCharge, row)} limit 1)`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ofCharge))
    .executeTakeFirst()
}

export const findCustomersWith = (reader: Reader, phone: Msisdn, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ['merchant_id', 'id'],
    sql`select merchant_id, id from customers
      where phone = ${phone} and phone is not null and phone <> '[redacted]' order by id desc limit ${max}`,
  )

export const findCustomersMailed = (reader: Reader, email: string, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ofCustomer,
    sql`select ${columnsOf('t', ofCustomer)} from customers t
      where lower(t.email) = ${email} and t.email is not null and t.email <> '[redacted]'
      order by t.id desc limit ${max}`,
  )

/** The newest are found among this many. PostgreSQL reads no more rows, however common a word is. */
const CANDIDATES_MAX = 1_000

/** The words of a name, in the words of the index customers_words. */
const wordsOf = (name: RawBuilder<unknown>) =>
  sql`to_tsvector('simple', translate(lower(${name}), 'àáâäãåçèéêëìíîïñòóôöõùúûüÿ', 'aaaaaaceeeeiiiinooooouuuuy'))`

/**
 * Has all words of one of the spellings. PostgreSQL finds the words of both sides in the same way: a name that is typed
 * as it is stored has the words of the index.
 */
const namedAs = ({ spellings, isBegun }: NameQuestion) => {
  const quoted = sql`'''' || replace(replace(word, '\\', '\\\\'), '''', '''''') || ${sql.lit(isBegun ? "':*" : "'")}`
  return sql`(
    select string_agg(s.words, ' | ')::tsquery from (
      select string_agg(${quoted}, ' & ') as words
      from unnest(${spellings}::text[]) w (spelling)
      cross join lateral unnest(tsvector_to_array(${wordsOf(sql.ref('w.spelling'))})) l (word)
      group by w.spelling) s)`
}

export const findCustomersNamed = (reader: Reader, name: NameQuestion, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ofCustomer,
    sql`select ${columnsOf('c', ofCustomer)} from (
        select ${columnsOf('t', ofCustomer)} from customers t
        where ${wordsOf(sql.ref('t.name'))} @@ ${namedAs(name)} and t.name is not null and t.name <> '[redacted]'
        limit ${CANDIDATES_MAX}) c
      order by c.id desc limit ${max}`,
  )

export const findIntentsWith = (reader: Reader, metadata: MetadataFilter, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ofIntent,
    sql`select ${columnsOf('c', ofIntent)} from (
        select ${columnsOf('t', ofIntent)} from payment_intents t
        where ${hasMetadata('t', metadata)} limit ${CANDIDATES_MAX}) c
      order by c.id desc limit ${max}`,
  )

export const findSessionsNamed = (reader: Reader, reference: string, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ofSession,
    sql`select ${columnsOf('t', ofSession)} from checkout_sessions t
      where t.client_reference_id = ${reference} and t.client_reference_id is not null
      order by t.id desc limit ${max}`,
  )

/**
 * By our references, of which a rail has each once. The rails are those of the table, each found by one step of its
 * index: the configuration may have lost a rail.
 */
export const findReferences = (
  reader: Reader,
  table: 'charges' | 'refunds' | 'charge_returns',
  references: readonly string[],
): Promise<FoundRow[]> => {
  const status = table === 'charge_returns' ? sql`f.instruction` : sql`f.status`
  return found(
    reader,
    ofCharge,
    sql`
      with recursive ${railsOf(sql.table(table), sql`true`)}
      select ${columnsOf('t', ofCharge)} from rails r
      cross join unnest(${references}::text[]) q (reference)
      cross join lateral (
        select f.merchant_id, f.id, f.payment_intent_id, ${status} as status, f.amount, f.currency
        from ${sql.table(table)} f
        where f.rail = r.rail and f.reference = q.reference limit 1) t
      order by t.id desc`,
  )
}

export const findRailTransactions = (
  reader: Reader,
  transactions: readonly string[],
  max: number,
): Promise<FoundRow[]> =>
  found(
    reader,
    ofCharge,
    sql`select ${columnsOf('t', ofCharge)} from unnest(${transactions}::text[]) q (txn)
      cross join lateral (
        select ${columnsOf('f', ofCharge)} from charges f
        where f.rail_txn_id = q.txn and f.rail_txn_id is not null order by f.id desc limit ${max}) t
      order by t.id desc limit ${max}`,
  )

/**
 * The newest charges whose payer's number ends with these digits: four at least, or the whole number. The index has the
 * numbers, so only the charges that are shown are read.
 */
export const findChargesOfPayer = (reader: Reader, ending: string, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ofCharge,
    chargesOf(
      sql`select c.id from charges c where ${paidBy('c', ending)} order by c.id desc limit ${max}`,
      max,
    ),
  )

const chargesOf = (ids: RawBuilder<unknown>, max: number) => sql`
  with chosen as materialized (${ids})
  select ${columnsOf('t', ofCharge)} from chosen i cross join lateral (
    select ${columnsOf('c', ofCharge)} from charges c where ${hasId('c', sql`= i.id`)} limit 1) t
  order by t.id desc limit ${max}`

/** docs/spec-gaps.md, staff: numbers of which charges are looked for. More digits find the others. */
const PART_NUMBERS_MAX = 200
/** docs/spec-gaps.md, staff: charges that the numbers share among which theirs are found. */
const PART_SEARCHED_MAX = 100_000
const GRAM_DIGITS = 4
const NUMBER_DIGITS = 12

const gramsOf = (digits: string): string[] =>
  Array.from({ length: digits.length - GRAM_DIGITS + 1 }, (_, at) => digits.slice(at, at + GRAM_DIGITS))

/** In the words of the index payer_numbers_digits. */
const gramsOfNumber = sql`(array[${sql.join(
  Array.from({ length: NUMBER_DIGITS - GRAM_DIGITS + 1 }, (_, at) =>
    sql.raw(`substr(n.msisdn, ${at + 1}, ${GRAM_DIGITS})`),
  ),
)}])`

/**
 * The newest charges of the numbers that have these digits anywhere: four at least. The numbers of the last minutes are
 * not collected yet. With the limit in its first part, PostgreSQL would read the numbers in an order, without the index of
 * digits.
 */
export const findChargesOfPart = (reader: Reader, part: string, max: number): Promise<FoundRow[]> =>
  found(
    reader,
    ofCharge,
    chargesOf(
      sql`
      with matching as materialized (
        select n.msisdn from payer_numbers n
        where ${gramsOfNumber} @> ${gramsOf(part)}::text[] and position(${part} in n.msisdn) > 0
      ),
      number as materialized (select m.msisdn from matching m limit ${PART_NUMBERS_MAX}),
      shared as materialized (select ${PART_SEARCHED_MAX} / greatest(count(*), 1) as rows_max from number)
      select t.id from shared cross join number cross join lateral (
        select e.id from (
          select c.id, c.payer_msisdn from charges c
          where ${endsAs(sql`number.msisdn`)} order by c.id desc limit shared.rows_max) e
        where e.payer_msisdn = number.msisdn order by e.id desc limit ${max}) t
      order by t.id desc limit ${max}`,
      max,
    ),
  )

/** docs/spec-gaps.md, staff: recent charges among which digits from the middle of a number are found. */
const PART_CHARGES_MAX = 20_000

/** The newest charges since an instant whose payer's number has these digits anywhere. No index leads to them. */
export const findRecentChargesOfPart = (
  reader: Reader,
  { part, sinceMs }: { readonly part: string; readonly sinceMs: number },
  max: number,
): Promise<FoundRow[]> => {
  const recent = newestSince('charges', ofPart, {
    sinceUuid: uuidFloorOf(sinceMs),
    rowsMax: PART_CHARGES_MAX,
  })
  return found(
    reader,
    ofCharge,
    sql`select ${columnsOf('t', ofCharge)} from (
        ${recent}) t
      where position(${part} in t.payer_msisdn) > 0 order by t.id desc limit ${max}`,
  )
}

const found = (
  reader: Reader,
  columns: readonly (keyof FoundRow)[],
  rows: RawBuilder<unknown>,
): Promise<FoundRow[]> =>
  reader
    .selectFrom(sql<FoundRow>`(${rows})`.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', columns))
    .execute()
