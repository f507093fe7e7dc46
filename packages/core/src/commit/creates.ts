import { forEachShape, instant, type Placing, statement, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { isOpenFor } from '../base/client-status.ts'
import { type CustomerId, uuidOf } from '../base/ids.ts'
import { claimFields, claimKeys, claimRecord } from './claim-keys.ts'
import type { NewEvent } from './event.ts'
import { type LockPolicy, lockWait, skipped, skipping } from './lock-policy.ts'
import { type Answer, identityOfClaim, type KeyClaim, type NewAnswer } from './key.ts'
import { namesOf, type NewRow, type NewRows, typesOf } from './new-rows.ts'
import { eventFields, eventRecord, selectEvents, writeEvents } from './write-events.ts'
import type { SharedWrite } from './writes.ts'
import { rowsJson } from '../base/rows-json.ts'

export interface Creation {
  readonly claim: KeyClaim
  readonly answer: NewAnswer
  readonly nowMs: number
}

export type CreationResult =
  | 'inserted'
  | Answer
  /** The key is used in another way, or since this statement began. */
  | 'key_taken'
  | 'client_disabled'
  | 'customer_missing'
  | 'customer_erased'

interface Insertion<Item> {
  readonly rows: NewRows
  readonly rowOf: (item: Item) => object
}

export const inserting = <Item, Rows extends NewRows>(
  rows: Rows,
  rowOf: (item: Item) => NewRow<Rows> & object,
): Insertion<Item> => ({ rows, rowOf })

interface CreationKind<Item extends Creation> {
  readonly inserts: readonly Insertion<Item>[]
  readonly customerOf: (item: Item) => CustomerId | null
  /** True if the request names that customer, who must exist. False if the customer is the new resource. */
  readonly namesCustomers: boolean
  readonly eventOf?: (item: Item) => NewEvent
  /** Another insert for the rows of `made`, before the events. */
  readonly extraInsert?: Part
}

export const CREATIONS_MAX = 64

export const createTogether = <Item extends Creation>(
  kind: CreationKind<Item>,
): SharedWrite<Item, CreationResult> => {
  const statementOf = statementsOf(kind)
  return {
    write: (writer, items, ifLocked) => writeCreations({ kind, statementOf }, writer, items, ifLocked),
    identitiesOf: ({ claim }) => [identityOfClaim(claim)],
    ownerOf: ({ claim }) => claim.merchantId,
    itemsMax: CREATIONS_MAX,
  }
}

interface Prepared<Item extends Creation> {
  readonly kind: CreationKind<Item>
  readonly statementOf: ReturnType<typeof statementsOf>
}

/**
 * Writes new resources with their events and answers in one statement. Each is written as a whole, or not at all
 * because of its own client, customer or key. A named customer is locked and stamped (spec 4.3.6).
 *
 * Locks customers, then keys, then the counters of events, each in order, so that statements do not deadlock.
 * Customers that other transactions hold are waited for or skipped. No two items may have the same key.
 *
 * @returns the outcome of each item, in order
 */
async function writeCreations<Item extends Creation>(
  { kind, statementOf }: Prepared<Item>,
  writer: Writer,
  items: readonly Item[],
  ifLocked: LockPolicy,
): Promise<(CreationResult | typeof skipped)[]> {
  if (items.length > CREATIONS_MAX) throw new RangeError('too many new resources in one statement')
  const nowMs = Math.max(...items.map((item) => item.nowMs))
  const hasNamedCustomer = kind.namesCustomers && items.some((item) => kind.customerOf(item) !== null)
  const run = statementOf({ ifLocked, hasNamedCustomer, isSingle: items.length === 1 })
  const rows = await run(writer, { ...valuesOf(kind, items), now: instant(nowMs) })
  const found = new Map(rows.map((row) => [row.n, row]))
  return items.map((_, at) => resultOf(found.get(at + 1), ifLocked))
}

interface Shape {
  readonly ifLocked: LockPolicy
  readonly hasNamedCustomer: boolean
  readonly isSingle: boolean
}

type Values = Readonly<Record<`rows${number}` | 'now', string>>

function statementsOf<Item extends Creation>(kind: CreationKind<Item>) {
  const parameters = parametersOf(kind)
  const inserts = insertsOf(kind)
  const { extraInsert, eventOf } = kind
  const partsOf = ({ ifLocked, hasNamedCustomer, isSingle }: Shape, value: Placing<Values>): Part[] => [
    sql`
    t as materialized (
      select t.*, ${isOpenFor(sql`t.merchant_id`)} as open
      from ${rowsOf(parameters, value)}${lockWait(ifLocked)}
    )`,
    ...(hasNamedCustomer ? [lockCustomers(ifLocked)] : []),
    sql`
    k as (${claimKeys({ from: hasNamedCustomer ? readyWithCustomers : ready, customer: sql`c.customer`, now: value('now') })})`,
    ...inserts,
    ...(hasNamedCustomer ? [stampCustomers(value('now'))] : []),
    ...(extraInsert === undefined ? [] : [sql`extra as (${extraInsert} returning 1)`]),
    ...(eventOf === undefined
      ? []
      : writeEvents({
          select: selectEvents(made),
          single: isSingle,
          after: [...(hasNamedCustomer ? ['stamped'] : []), ...(extraInsert === undefined ? [] : ['extra'])],
        })),
  ]
  return forEachShape((shape: Shape) =>
    statement<Values, CreationRow>(
      (value) => sql`
    with ${sql.join(partsOf(shape, value))}
    select t.n::integer, t.open, t.made, stored.answer${shape.hasNamedCustomer ? whyNotNamed : sql``}
    from (select t.*, ${isMade} as made from t offset 0) t${storedAnswer(value('now'))}${shape.hasNamedCustomer ? namedCustomer : sql``}`,
    ),
  )
}

interface CreationRow {
  readonly n: number
  readonly open: boolean
  readonly made: boolean
  readonly answer: NewAnswer | null
  readonly missing?: boolean
  readonly erased?: boolean
  readonly unlocked?: boolean
}

function resultOf(row: CreationRow | undefined, ifLocked: LockPolicy): CreationResult | typeof skipped {
  if (row?.open !== true) return 'client_disabled'
  if (row.made) return 'inserted'
  if (row.answer !== null) return { ...row.answer, replayed: true }
  if (row.missing === true) return 'customer_missing'
  if (row.erased === true) return 'customer_erased'
  return row.unlocked === true && ifLocked === 'skip' ? skipped : 'key_taken'
}

// OFFSET 0 keeps PostgreSQL from flattening the subquery, so the stored answer is looked up only for items that were
// not made.
const storedAnswer = (now: Part) => sql`
    left join lateral (
      select json_build_object('status', k.status, 'shouldRetry', k.should_retry, 'body', k.body) as answer
      from idempotency_keys k
      where t.open and not t.made and k.merchant_id = t.merchant_id and k.scope = t.scope and k.key = t.key
        and k.fingerprint = decode(t.fingerprint, 'hex') and k.status is not null and k.body is not null
        and k.expires_at > ${now}::timestamptz
      offset 0) stored on true`

const isMade = sql`(t.merchant_id, t.scope, t.key) in (select merchant_id, scope, key from k)`

/** The rows of `t` whose key was claimed. Only these are written. */
export const made = sql`(select t.* from t where ${isMade}) made`

/** One JSON parameter with the fields of each item, and one for each table. */
interface Parameters {
  readonly definitions: readonly Part[]
  readonly columnNames: Part
}

function parametersOf<Item extends Creation>({ inserts, eventOf }: CreationKind<Item>): Parameters {
  const ofItem = ['merchant_id text, customer uuid', claimRecord, ...(eventOf ? [eventRecord] : [])].join(
    ', ',
  )
  const itemNames = ofItem.split(',').map((column) => column.trim().replace(/ .*/, ''))
  const rowNames = inserts.flatMap(({ rows }, at) =>
    Object.keys(rows.columns).map((name) => nameAt(at, name)),
  )
  return {
    definitions: [sql.raw(ofItem), ...inserts.map(({ rows }) => typesOf(rows.columns))],
    columnNames: sql.raw([...itemNames, ...rowNames, 'n'].join(', ')),
  }
}

/** Tables may have columns of the same name, so `t` prefixes each with the place of its table. */
const nameAt = (at: number, column: string) => `"${at}.${column}"`

const insertsOf = <Item extends Creation>({ inserts }: CreationKind<Item>): Part[] =>
  inserts.map(({ rows: { table, columns } }, at) => {
    const values = Object.keys(columns).map((column) => nameAt(at, column))
    return sql`
    ${sql.table(`new_${table}`)} as (
      insert into ${sql.table(table)} (${namesOf(columns)}) select ${sql.raw(values.join(', '))} from ${made}
    )`
  })

/** PostgreSQL reads the parameters side by side: row n of each belongs to item n. */
const rowsOf = ({ definitions, columnNames }: Parameters, value: Placing<Values>): Part => {
  const functions = definitions.map(
    (columns, at) => sql`json_to_recordset(${value(`rows${at}`)}::json) as (${columns})`,
  )
  return sql`rows from (${sql.join(functions)}) with ordinality as t (${columnNames})`
}

function valuesOf<Item extends Creation>(kind: CreationKind<Item>, items: readonly Item[]) {
  const values = [
    items.map((item) => fieldsOf(kind, item)),
    ...kind.inserts.map(({ rowOf }) => items.map((item) => rowOf(item))),
  ]
  return Object.fromEntries(values.map((rows, at) => [`rows${at}`, rowsJson(rows)] as const))
}

function fieldsOf<Item extends Creation>(kind: CreationKind<Item>, item: Item) {
  const { claim, answer, nowMs } = item
  const customer = kind.customerOf(item)
  return {
    merchant_id: claim.merchantId,
    customer: customer === null ? null : uuidOf(customer),
    ...claimFields(claim, answer, nowMs),
    ...eventFields(kind.eventOf?.(item) ?? null, nowMs),
  }
}

const ready = sql`t c where c.open`
const readyWithCustomers = sql`
  t c where c.open and (c.customer is null or (c.merchant_id, c.customer) in (select merchant_id, id from payers))`

// An erasure locks the same row, so whichever of the two commits second sees the other. LATERAL makes PostgreSQL
// find each row by its key.
const lockCustomers = (ifLocked: LockPolicy) => sql`
    payers as materialized (
      select u.merchant_id, u.id from (
        select distinct merchant_id, customer from t where open and customer is not null order by 1, 2
      ) p cross join lateral (
        select u.merchant_id, u.id from customers u
        where u.merchant_id = p.merchant_id and u.id = p.customer and u.erased_at is null
        for no key update${skipping(ifLocked)}) u
    )`

// Stamps only customers of rows in `made`: a refused or replayed request does not count as a use.
const stampCustomers = (now: Part) => sql`
    stamped as (
      update customers u set last_used_at = greatest(u.last_used_at, ${now}::timestamptz)
      from ${made} where u.merchant_id = made.merchant_id and u.id = made.customer
      returning 1
    )`

const whyNotNamed = sql`,
      t.customer is not null and u.erased is null as missing, coalesce(u.erased, false) as erased,
      t.customer is not null and (t.merchant_id, t.customer) not in (select merchant_id, id from payers) as unlocked`

const namedCustomer = sql`
    left join lateral (
      select u.erased_at is not null as erased from customers u
      where u.merchant_id = t.merchant_id and u.id = t.customer) u on true`
