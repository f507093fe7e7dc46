import type { ChargeReturnTable, Reader, Writer } from '@merchant-payments/db'
import { instant } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { type ChargeReturnId, idOf, idOrNull, type MerchantId, uuidOf } from '../base/ids.ts'
import type { Due, PayoutKey } from '../payouts/payout.ts'
import { claimsOf, dueOf, findErasedOf, type JobQueue } from '../payouts/store.ts'
import { storedMsisdn } from '../base/phone.ts'
import type { RailCode } from '../rails/port.ts'
import type { ClaimOrder } from '../queue/claim.ts'
import type { ClaimedRails } from '../queue/floors.ts'
import type { SetAside } from '../queue/read-in-halves.ts'
import type { ChargeReturn } from './charge-return.ts'

export type ReturnRow = Selectable<ChargeReturnTable>

export const returnOf = (row: ReturnRow): ChargeReturn => ({
  merchantId: row.merchant_id as MerchantId,
  id: idOf('rt', row.id),
  chargeId: idOf('ch', row.charge_id),
  intentId: idOf('pi', row.payment_intent_id),
  amountMinor: row.amount,
  currency: row.currency,
  customerId: idOrNull('cus', row.customer_id),
  openedAtMs: row.opened_at,
  rail: row.rail as RailCode,
  reference: row.reference,
  instruction: row.instruction,
  destination: row.destination_msisdn === null ? null : storedMsisdn(row.destination_msisdn),
  submitDeadlineMs: row.submit_deadline,
  refusal: row.refusal_code,
  failureReason: row.failure_reason,
  railCode: row.rail_code,
  railMessage: row.rail_message,
  revision: row.revision,
})

export const returnColumns = [
  'merchant_id',
  'id',
  'charge_id',
  'payment_intent_id',
  'amount',
  'currency',
  'customer_id',
  'opened_at',
  'rail',
  'reference',
  'instruction',
  'destination_msisdn',
  'submit_deadline',
  'refusal_code',
  'failure_reason',
  'rail_code',
  'rail_message',
  'request_id',
  'revision',
] as const satisfies readonly (keyof ReturnRow)[]

export const returnQueue: JobQueue = {
  jobs: 'return_jobs',
  id: 'return_id',
  idOf: (uuid) => idOf('rt', uuid),
  ledger: 'charge_returns',
  columns: returnColumns,
}

const claimRows = claimsOf<ReturnRow>(returnQueue)

export async function claimReturns(
  writer: Writer,
  order: ClaimOrder,
  rails: ClaimedRails,
  setAside?: SetAside<PayoutKey>,
): Promise<Due<ChargeReturn>[]> {
  const rows = await claimRows(writer, order, rails, setAside)
  return rows.map((row) => dueOf(returnOf(row), row))
}

export const findErasedReturns = async (reader: Reader, returns: readonly ChargeReturn[]) =>
  new Set((await findErasedOf(reader, returnQueue, returns)).map((id) => idOf('rt', id)))

interface NewReturn {
  readonly id: ChargeReturnId
  readonly charge: Pick<ChargeReturn, 'merchantId' | 'chargeId' | 'destination'>
  /** Since when the number is known. An erasure of the customer clears what was known before. */
  readonly knownSinceMs: number
  readonly reference: string
  readonly submitDeadlineMs: number
  readonly requestId: string
}

/**
 * The lock on the customer's row makes an erasure wait, so that it also clears this number.
 *
 * @returns `returned` if the charge is not a duplicate, or has a return that its rail has not refused. `erased` if
 * the customer was erased since the return's time, or since its number was known
 */
export async function openReturn(
  writer: Writer,
  wanted: NewReturn,
  nowMs: number,
): Promise<'opened' | 'returned' | 'erased'> {
  const { merchantId, chargeId, destination } = wanted.charge
  const now = sql`${instant(nowMs)}::timestamptz`
  const since = sql`${instant(Math.min(wanted.knownSinceMs, nowMs))}::timestamptz`
  const result = await sql<{ opened: boolean; erased: boolean }>`
    with c as materialized (
      select c.merchant_id, c.id, c.payment_intent_id, c.amount, c.currency, c.rail, u.id as customer_id,
        coalesce(u.erased_at >= ${since}, false) as erased
      from charges c
      join payment_intents p on p.merchant_id = c.merchant_id and p.id = c.payment_intent_id
      left join lateral (
        select id, erased_at from customers u where u.merchant_id = p.merchant_id and u.id = p.customer_id for key share) u on true
      where c.merchant_id = ${merchantId} and c.id = ${uuidOf(chargeId)}::uuid and c.status = 'duplicate'
    ),
    r as (
      insert into charge_returns
        (merchant_id, id, charge_id, payment_intent_id, amount, currency, customer_id, opened_at, rail, reference,
         instruction, destination_msisdn, submit_deadline, request_id)
      select merchant_id, ${uuidOf(wanted.id)}::uuid, id, payment_intent_id, amount, currency, customer_id, ${now}, rail,
        ${wanted.reference}, 'unsent', ${destination}, ${instant(wanted.submitDeadlineMs)}::timestamptz,
        ${wanted.requestId}
      from c where not erased
      on conflict (charge_id, merchant_id) where instruction <> 'refused' do nothing
      returning merchant_id, id, rail
    ),
    job as (
      insert into return_jobs (merchant_id, return_id, rail, due_at) select merchant_id, id, rail, ${now} from r
    )
    select exists (select from r) as opened, exists (select from c where erased) as erased`.execute(writer)
  const [row] = result.rows
  if (row?.opened === true) return 'opened'
  return row?.erased === true ? 'erased' : 'returned'
}
