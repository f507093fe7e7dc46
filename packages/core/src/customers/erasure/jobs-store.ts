import { instant, type Tx, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { isNotMoving } from '../../base/client-status.ts'
import { type Customer, eraseFacts } from '../customer.ts'
import { setFacts } from '../store.ts'
import type { NewEvent } from '../../commit/event.ts'
import { recordEvent } from '../../commit/write-events.ts'
import { type CustomerId, idOf, type MerchantId, uuidOf } from '../../base/ids.ts'
import { claimFenced, type FencedJobs, leasedAnew } from '../../queue/fenced-jobs.ts'
import type { RowKey } from './page.ts'
import type { Scope } from './pages-store.ts'

export interface Erasure {
  readonly merchantId: MerchantId
  readonly customerId: CustomerId
  readonly fence: number
}

/** Spec 3.2: the tables that refer to customers. A customer whom one of them names is kept, without identifiers. */
export const REFERRING = ['payment_intents', 'checkout_sessions', 'invoices'] as const

/**
 * Writes the intention to erase, whose commit begins the erasure: redacts the customer's row and inserts the work.
 * The transaction has locked the row FOR UPDATE in an earlier statement. Every statement that refers to the
 * customer or writes a copy locks the same row until its commit. What it wrote before is visible here and to every
 * step. What it writes later finds `erased_at`, and is refused or redacted. So no copy is added after this commit,
 * and one visit to each copy is enough.
 */
export async function recordIntention(
  tx: Tx,
  customer: Customer,
  { requestId, nowMs, clearing }: { requestId: string | null; nowMs: number; clearing: string },
): Promise<{ erasure: Erasure; keepsRow: boolean }> {
  const { merchantId, id } = customer
  const now = instant(nowMs)
  const referred = REFERRING.map(
    (table) => sql`exists (
      select 1 from ${sql.table(table)}
      where customer_id = ${uuidOf(id)}::uuid and merchant_id || '' = ${merchantId})`,
  )
  const { rows } = await sql<{ fence: number; keeps_row: boolean }>`
    with c as (
      update customers set ${setFacts(eraseFacts(customer, nowMs))},
        revision = revision + 1, erased_at = ${now}::timestamptz
      where merchant_id = ${merchantId} and id = ${uuidOf(id)}::uuid
      returning merchant_id, id
    )
    insert into customer_erasures
      (merchant_id, customer_id, request_id, begun_at, keeps_row, clearing, lease_until)
    select merchant_id, id, ${requestId}, ${now}::timestamptz, ${sql.join(referred, sql` or `)}, ${clearing}, ${leasedAnew}
    from c
    returning fence, keeps_row`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('the customer to erase was not locked')
  return { erasure: { merchantId, customerId: id, fence: row.fence }, keepsRow: row.keeps_row }
}

const isHeld = ({ merchantId, customerId, fence }: Erasure) =>
  sql`merchant_id = ${merchantId} and customer_id = ${uuidOf(customerId)}::uuid and fence = ${fence}`

interface ErasureRow {
  merchant_id: string
  customer_id: string
  fence: number
}

export const erasureJobs: FencedJobs<Erasure, 'merchant_id' | 'customer_id'> = {
  table: 'customer_erasures',
  key: ['merchant_id', 'customer_id'],
  mayClaim: isNotMoving(sql`merchant_id`),
  isHeld,
}

/** @param fromMs no erasure that may be claimed was due before. Default: all are read */
export async function claimErasures(writer: Writer, limit: number, fromMs = 0): Promise<Erasure[]> {
  const columns = [...erasureJobs.key, 'fence'] as const
  const rows = await claimFenced<Erasure, (typeof erasureJobs.key)[number], ErasureRow>(
    writer,
    { ...erasureJobs, mayClaim: sql`${erasureJobs.mayClaim} and due_at >= ${instant(fromMs)}::timestamptz` },
    columns,
    limit,
  )
  return rows.map((row) => ({
    merchantId: row.merchant_id as MerchantId,
    customerId: idOf('cus', row.customer_id),
    fence: row.fence,
  }))
}

export interface Place {
  readonly clearing: string
  readonly clearedTo: RowKey | null
}

export interface Standing {
  readonly scope: Scope
  readonly place: Place
  readonly requestId: string | null
}

/** @returns undefined if the work was never begun, is done, or belongs to another process now */
export async function lockErasure(tx: Tx, erasure: Erasure): Promise<Standing | undefined> {
  const { rows } = await sql<{
    begun_at: number
    clearing: string
    cleared_to: string[] | null
    request_id: string | null
  }>`
    select begun_at, clearing, cleared_to, request_id from customer_erasures where ${isHeld(erasure)}
    for update`.execute(tx)
  const [row] = rows
  if (row === undefined) return undefined
  const { merchantId, customerId } = erasure
  return {
    scope: { merchantId, customerId, begunAtMs: row.begun_at },
    place: { clearing: row.clearing, clearedTo: row.cleared_to },
    requestId: row.request_id,
  }
}

/**
 * Commits without waiting for the flush to disk, because creates of other merchants would have to wait for that flush
 * too. A crash can undo the step as a whole, and the next process repeats it. The step that ends the erasure waits,
 * and so flushes all earlier ones.
 */
export async function recordProgress(
  tx: Tx,
  erasure: Erasure,
  { clearing, clearedTo }: Place,
): Promise<void> {
  await sql`
    update customer_erasures set clearing = ${clearing}, cleared_to = ${clearedTo}::text[], lease_until = ${leasedAnew},
      failures = 0
    where ${isHeld(erasure)} and set_config('synchronous_commit', 'off', true) is not null`.execute(tx)
}

export async function recordEnd(
  tx: Tx,
  erasure: Erasure,
  event: NewEvent,
  occasion: { readonly requestId: string | null; readonly nowMs: number },
): Promise<void> {
  const { merchantId, customerId } = erasure
  await sql`
    with done as (
      delete from customer_erasures where ${isHeld(erasure)} returning keeps_row
    ),
    gone as (
      delete from customers using done
      where not done.keeps_row and merchant_id = ${merchantId} and id = ${uuidOf(customerId)}::uuid
      returning 1
    ),
    ${recordEvent(event, { ...occasion, merchantId }, sql`done`, ['gone'])}
    select 1`.execute(tx)
}
