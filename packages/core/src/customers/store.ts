import { type CustomerTable, instant, type Tx, type Writer } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { columnsIn, columnsOf } from '../base/columns.ts'
import { clientStatus, type Guarded } from '../base/client-status.ts'
import { type Find, guarded, ofClient, type Opened, smallRow } from '../reads/store.ts'
import type { NewEvent } from '../commit/event.ts'
import { type LockPolicy, skipping } from '../commit/lock-policy.ts'
import { recordEvent } from '../commit/write-events.ts'
import type { KeyClaim, NewAnswer } from '../commit/key.ts'
import { claimKey } from '../commit/claim-keys.ts'
import { namesOf, newRows, typesOf } from '../commit/new-rows.ts'
import { type CustomerId, idOf, type MerchantId, uuidOf } from '../base/ids.ts'
import { type ListedTable, listOf } from '../pages/store.ts'
import type { Address, Customer } from './customer.ts'

export const customerColumns = [
  'merchant_id',
  'id',
  'name',
  'email',
  'phone',
  'line1',
  'line2',
  'city',
  'state',
  'postal_code',
  'country',
  'latitude_microdeg',
  'longitude_microdeg',
  'metadata',
  'livemode',
  'erased_at',
  'last_used_at',
  'revision',
] as const satisfies readonly (keyof CustomerTable)[]

export type CustomerRow = Pick<Selectable<CustomerTable>, (typeof customerColumns)[number]>

export const customerOf = (row: CustomerRow): Customer => ({
  merchantId: row.merchant_id as MerchantId,
  id: idOf('cus', row.id),
  name: row.name,
  email: row.email,
  phone: row.phone,
  address: addressOf(row),
  metadata: row.metadata,
  livemode: row.livemode,
  erasedAtMs: row.erased_at,
  lastUsedAtMs: row.last_used_at,
  revision: row.revision,
})

function addressOf(row: CustomerRow): Address | null {
  const address = {
    line1: row.line1,
    line2: row.line2,
    city: row.city,
    state: row.state,
    postalCode: row.postal_code,
    country: row.country,
    latitudeMicrodeg: row.latitude_microdeg,
    longitudeMicrodeg: row.longitude_microdeg,
  }
  return Object.values(address).every((component) => component === null) ? null : address
}

export interface CustomerChange {
  readonly after: Customer
  readonly event: NewEvent | null
}

/**
 * Writes a change with its event and the answer to its request, in one statement. If nothing has changed, it writes only
 * the answer. Locks the customer, then the key and the event counter: each part reads rows of the one before it.
 *
 * @returns false if the customer has changed or was erased since it was read, or the key is taken
 */
export async function writeChange(
  writer: Writer,
  claim: KeyClaim,
  { after, event }: CustomerChange,
  answer: NewAnswer,
  nowMs: number,
): Promise<boolean> {
  const { merchantId, revision } = after
  const id = uuidOf(after.id)
  const result = await sql`
    with held as materialized (
      select 1 from customers
      where merchant_id = ${merchantId} and id = ${id}::uuid and revision = ${revision} and erased_at is null
      for no key update
    ),
    k as (${claimKey(claim, answer, { from: sql`held`, customer: id, nowMs })})${
      event === null
        ? sql``
        : sql`,
    c as (
      update customers set ${setFacts(after)}, revision = revision + 1,
        last_used_at = greatest(last_used_at, ${instant(nowMs)}::timestamptz)
      from k where customers.merchant_id = ${merchantId} and id = ${id}::uuid
      returning 1
    ),
    ${recordEvent(event, { ...claim, nowMs }, sql`c`)}`
    }
    select 1 from k`.execute(writer)
  return result.rows.length > 0
}

const facts = {
  name: 'text',
  email: 'text',
  phone: 'text',
  line1: 'text',
  line2: 'text',
  city: 'text',
  state: 'text',
  postal_code: 'text',
  country: 'text',
  latitude_microdeg: 'integer',
  longitude_microdeg: 'integer',
  metadata: 'jsonb',
} as const

export const customerRows = newRows('customers', {
  merchant_id: 'text',
  id: 'uuid',
  ...facts,
  livemode: 'boolean',
  last_used_at: 'timestamptz',
})

export const factRow = ({ name, email, phone, address, metadata }: Customer) => ({
  name,
  email,
  phone,
  line1: address?.line1 ?? null,
  line2: address?.line2 ?? null,
  city: address?.city ?? null,
  state: address?.state ?? null,
  postal_code: address?.postalCode ?? null,
  country: address?.country ?? null,
  latitude_microdeg: address?.latitudeMicrodeg ?? null,
  longitude_microdeg: address?.longitudeMicrodeg ?? null,
  metadata,
})

export const setFacts = (customer: Customer) => sql`
  (${namesOf(facts)}) = (select * from jsonb_to_record(${JSON.stringify(factRow(customer))}::jsonb) as f (${typesOf(facts)}))`

/**
 * Every statement that refers to the customer or writes a copy locks the same row. What it wrote before is visible
 * to the next statements, and what it writes later finds the customer erased.
 */
export async function lockCustomer(
  tx: Tx,
  merchantId: MerchantId,
  id: CustomerId,
  ifLocked: LockPolicy = 'wait',
): Promise<Guarded<Customer | undefined>> {
  const result = await sql<Opened<CustomerRow>>`
    with client as (${clientStatus(merchantId)}),
    c as materialized (
      select ${columnsOf('customers', customerColumns)} from customers
      where merchant_id = ${merchantId} and id = ${uuidOf(id)}::uuid
      for update${skipping(ifLocked)}
    )
    select client.open, ${columnsOf('c', customerColumns)} from client left join c on true`.execute(tx)
  return guarded(result.rows[0], customerOf)
}

const customerById = smallRow((keyed) =>
  keyed.leftJoin('customers as c', ofClient('c')).select(columnsIn('c', customerColumns)),
)

export const findCustomer: Find<'cus', Customer> = async (reader, merchantId, id) =>
  guarded(await customerById(reader, { merchantId, id: uuidOf(id) }), customerOf)

export const listedCustomers: ListedTable<CustomerRow, 'customers'> = {
  table: 'customers',
  columns: customerColumns,
  measured: ['name', 'email', 'line1', 'line2', 'city', 'state', 'postal_code', 'metadata'],
}

export const listCustomerPage = listOf({ listed: listedCustomers, alias: 'c', itemOf: customerOf })
