import type { DeclineCode } from '@merchant-payments/contract'
import { instant, type PaymentIntentTable, type Reader, type Writer } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { clientStatus, clientStatusTable, type Guarded } from '../base/client-status.ts'
import type { Answer, KeyClaim } from '../commit/key.ts'
import { claimKey } from '../commit/claim-keys.ts'
import { inRows } from '../base/in-rows/store.ts'
import { idOf, type MerchantId, type PaymentIntentId, uuidOf } from '../base/ids.ts'
import { columnsOf } from '../pages/cut/store.ts'
import { type ListedTable, pageOrder, pageRows } from '../pages/store.ts'
import { cutPageOf, type Page, type PageQuery } from '../pages/page.ts'
import type { RailCode } from '../rails/port.ts'
import type { Intent, IntentFields, PaymentError } from './intent.ts'

export type IntentRow = Selectable<PaymentIntentTable>

export function intentOf(row: IntentRow): Intent {
  const fields: IntentFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('pi', row.id),
    amountMinor: row.amount,
    currency: row.currency,
    paymentMethodTypes: row.payment_method_types as RailCode[],
    customerId: row.customer_id === null ? null : idOf('cus', row.customer_id),
    description: row.description,
    metadata: row.metadata,
    storedSecret: row.client_secret,
    livemode: row.livemode,
    invoiceId: row.invoice_id === null ? null : idOf('in', row.invoice_id),
    lastPaymentError: errorOf(row),
    redirectUrl: row.redirect_url,
    returnUrl: row.return_url,
    canceledAtMs: row.canceled_at,
    cancellationReason: row.cancellation_reason,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

const intentColumns = [
  'merchant_id',
  'id',
  'amount',
  'currency',
  'status',
  'payment_method_types',
  'customer_id',
  'description',
  'metadata',
  'client_secret',
  'livemode',
  'invoice_id',
  'error_code',
  'error_decline_code',
  'error_message',
  'error_rail',
  'redirect_url',
  'return_url',
  'canceled_at',
  'cancellation_reason',
  'revision',
] as const satisfies readonly (keyof IntentRow)[]

/** What `intentOf` reads, of a table that has more. */
export const intentColumnsOf = (table: string) => columnsOf(table, intentColumns)

export const listedIntents: ListedTable<IntentRow> = {
  table: 'payment_intents',
  columns: [...intentColumns, 'refund_reserved'],
  measured: [
    'payment_method_types',
    'description',
    'metadata',
    'error_decline_code',
    'error_message',
    'redirect_url',
    'return_url',
  ],
}

function errorOf(row: IntentRow): PaymentError | null {
  if (row.error_code === null || row.error_rail === null) return null
  return {
    code: row.error_code as DeclineCode,
    declineCode: row.error_decline_code,
    message: row.error_message,
    rail: row.error_rail as RailCode,
  }
}

export type Insertion =
  | { readonly kind: 'inserted' }
  | { readonly kind: 'client_disabled' }
  | { readonly kind: 'customer_missing' }
  | { readonly kind: 'customer_erased' }
  | { readonly kind: 'key_taken' }

/**
 * Writes a new intent with the answer to its request, in one statement: the key's row decides the race of two requests
 * with one key, and the rest depends on it. A named customer is locked and stamped in the same breath (spec 4.3.6).
 *
 * @param alongside an insert of what is made with the intent, for each row of `p`
 */
export async function insertIntent(
  writer: Writer,
  claim: KeyClaim,
  intent: Intent<'requires_payment_method'>,
  answer: Omit<Answer, 'replayed'>,
  nowMs: number,
  alongside: RawBuilder<unknown> | null = null,
): Promise<Insertion> {
  const customer = intent.customerId === null ? null : uuidOf(intent.customerId)
  const used = instant(nowMs)
  const result = await sql<InsertionRow>`
    with client as (${clientStatus(claim.merchantId)}),
    ${customer === null ? noCustomer : stampCustomer(claim.merchantId, customer, used)},
    k as (${claimKey(claim, answer, { ...readyToInsert, customer, nowMs })}),
    p as (${newIntentRow(intent, sql`k`)} returning 1)${alongside === null ? sql`` : sql`, alongside as (${alongside})`}
    select client.open, exists (select 1 from p) as inserted, ${
      customer === null
        ? sql`null::boolean as named, null::boolean as erased`
        : whyNotNamed(claim.merchantId, customer)
    }
    from client`.execute(writer)
  return insertionOf(result.rows[0])
}

/** Inserts an intent where `source` has its row: a part of the statement that answers for it. */
export const newIntentRow = (intent: Intent<'requires_payment_method'>, source: RawBuilder<unknown>) => sql`
      insert into payment_intents
        (merchant_id, id, amount, currency, status, payment_method_types, customer_id, description, metadata,
         livemode, invoice_id)
      select ${intent.merchantId}, ${uuidOf(intent.id)}::uuid, ${intent.amountMinor}::integer, ${intent.currency},
        'requires_payment_method', ${intent.paymentMethodTypes}::text[],
        ${intent.customerId === null ? null : uuidOf(intent.customerId)}::uuid, ${intent.description},
        ${JSON.stringify(intent.metadata)}::jsonb, ${intent.livemode}::boolean,
        ${intent.invoiceId === null ? null : uuidOf(intent.invoiceId)}::uuid
      from ${source}`

interface InsertionRow {
  readonly open: boolean
  readonly inserted: boolean
  readonly named: boolean | null
  readonly erased: boolean | null
}

/** What came of a statement that inserts a resource under a key, for a customer that it may name. */
export function insertionOf(row: InsertionRow | undefined): Insertion {
  if (row === undefined || !row.open) return { kind: 'client_disabled' }
  if (row.inserted) return { kind: 'inserted' }
  if (row.named === false) return { kind: 'customer_missing' }
  if (row.erased === true) return { kind: 'customer_erased' }
  return { kind: 'key_taken' }
}

const readyToInsert = { from: sql`client, stamped`, where: sql`client.open and stamped.ok` }
/** The columns that tell `insertionOf` why nothing was stamped. */
export const whyNotNamed = (merchantId: string, customer: string) => sql`
      exists (select 1 from customers where merchant_id = ${merchantId} and id = ${customer}::uuid) as named,
      exists (select 1 from customers where merchant_id = ${merchantId} and id = ${customer}::uuid
        and erased_at is not null) as erased`

const noCustomer = sql`stamped as (select true as ok)`

// The row lock orders this against an erasure: whichever commits second sees the other.
export const stampCustomer = (merchantId: string, customer: string, usedAt: string) => sql`
  stamp as (
    update customers c set last_used_at = greatest(c.last_used_at, ${usedAt}::timestamptz)
    from client where client.open and c.merchant_id = ${merchantId} and c.id = ${customer}::uuid and c.erased_at is null
    returning 1
  ),
  stamped as (select exists (select 1 from stamp) as ok)`

/** Spec 4.4.5: within the merchant's scope only. The client's standing comes with the same query (spec 5.1.5). */
export async function findIntent(
  reader: Reader,
  merchantId: MerchantId,
  id: PaymentIntentId,
): Promise<Guarded<Intent | undefined>> {
  const row = await reader
    .selectFrom(clientStatusTable(merchantId))
    .leftJoin('payment_intents as p', (join) =>
      join.on('p.merchant_id', '=', merchantId).on('p.id', '=', uuidOf(id)),
    )
    .select('client.open')
    .selectAll('p')
    .executeTakeFirstOrThrow()
  const { open, ...intent } = row
  return { open: open === true, found: intent.id === null ? undefined : intentOf(intent as IntentRow) }
}

/** decisions: newest first; `ending_before` gives the page just newer than its cursor, still newest first. */
export async function listIntents(
  reader: Reader,
  merchantId: MerchantId,
  page: PageQuery<PaymentIntentId>,
): Promise<Guarded<Page<Intent>>> {
  const rows = await reader
    .selectFrom(clientStatusTable(merchantId))
    .leftJoin(pageRows(listedIntents, merchantId, page).as<'p'>(sql.ref('p')), (join) => join.onTrue())
    .select('client.open')
    .selectAll('p')
    .orderBy(pageOrder('p.id', page))
    .execute()
  const shown = rows.filter(({ id }) => id !== null) as (IntentRow & { followed: boolean })[]
  return { open: rows[0]?.open === true, found: cutPageOf(shown, page, intentOf) }
}

/** The intents that these name, as they are now. */
export async function loadIntents(
  reader: Reader,
  of: readonly { readonly merchantId: MerchantId; readonly intentId: PaymentIntentId }[],
): Promise<Map<PaymentIntentId, Intent>> {
  const rows = await reader
    .selectFrom('payment_intents')
    .selectAll()
    .where(inRows(sql`(merchant_id, id)`, of, ({ intentId }) => intentId))
    .execute()
  return new Map(rows.map((row) => [idOf('pi', row.id), intentOf(row)]))
}
