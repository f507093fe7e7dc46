import type { Currency } from '@merchant-payments/contract'
import { type ChargeTable, instant, type Reader, type Writer } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { door } from '../door.ts'
import { adoptCopies } from '../erasure/store.ts'
import { KEY_LIFE_MS, type KeyClaim } from '../idempotency/key.ts'
import { onExpired } from '../idempotency/store.ts'
import {
  type ChargeId,
  type CheckoutSessionId,
  type CustomerId,
  idOf,
  type MerchantId,
  type PaymentIntentId,
  uuidOf,
} from '../ids.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { type IntentRow, intentOf } from '../payment-intents/store.ts'
import type { CallbackReference, RailCode } from '../rails/port.ts'
import type { Msisdn } from '../phone.ts'
import { claimDue, type ClaimOrder, LEASE_MS } from '../work/claim.ts'
import type { Charge, ChargeFields } from './charge.ts'
import { QUERY_INTERVAL_MIN_MS } from './ladder.ts'

type ChargeRow = Omit<Selectable<ChargeTable>, 'payer_msisdn' | 'lease_until' | 'request_id'>

function chargeOf(row: ChargeRow): Charge {
  const fields: ChargeFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('ch', row.id),
    intentId: idOf('pi', row.payment_intent_id),
    rail: row.rail as RailCode,
    amountMinor: row.amount,
    currency: row.currency,
    customerId: row.customer_id === null ? null : idOf('cus', row.customer_id),
    reference: row.reference,
    railToken: row.rail_token,
    callbackSecret: row.callback_secret,
    railTxnId: row.rail_txn_id,
    railCode: row.rail_code,
    railMessage: row.rail_message,
    openedAtMs: row.opened_at,
    submitDeadlineMs: row.submit_deadline,
    acknowledgedAtMs: row.acknowledged_at,
    settledAtMs: row.settled_at,
    nextQueryAtMs: row.next_query_at,
    queryRung: row.query_rung,
    lastQueryAtMs: row.last_query_at,
    notFoundCount: row.not_found_count,
    ruling: row.ruling,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

/** A charge about to be opened, with what its submit needs. */
export interface NewCharge {
  readonly id: ChargeId
  readonly reference: string
  readonly rail: RailCode
  readonly settlementCurrency: Currency
  readonly payer: Msisdn | null
  readonly namedCustomer: CustomerId | null
  /** The session through which a payer opens it; null for a merchant, or a payer with the intent's own secret. */
  readonly session: CheckoutSessionId | null
  readonly openedAtMs: number
  readonly submitDeadlineMs: number
  readonly firstQueryAtMs: number
}

/** How a request holds its key while the rail is called. */
export interface Hold {
  readonly untilMs: number
  /** The fencing number of a key that was released, when the request runs again; null when its key is new. */
  readonly released: number | null
}

export interface Opening {
  readonly clientOpen: boolean
  /** As opening the charge left it. */
  readonly intent: Intent | undefined
  /** The key's fencing number, when this request got to run. */
  readonly fence: number | null
  readonly charge: Charge<'submitting'> | undefined
}

/**
 * The first commit of a confirm, in one statement: locks the intent, and its invoice before it, claims the key in flight
 * with a link to the charge, and opens the charge as submitting. Each part depends on the one before it; a partial unique
 * index decides between two confirms with different keys.
 *
 * Opens nothing unless the intent waits for a payment method, offers the rail in its currency and has no other
 * customer than the named one, no invoice that is paid or void, and its session, where one is shown, has not ended. The
 * key then stays unclaimed too. Moves the invoice's revision on, so that whoever found it without a charge has nothing to
 * write.
 */
export async function openCharge(
  writer: Writer,
  claim: KeyClaim,
  intentId: PaymentIntentId,
  charge: NewCharge,
  hold: Hold,
): Promise<Opening> {
  const named = charge.namedCustomer === null ? null : uuidOf(charge.namedCustomer)
  const now = instant(charge.openedAtMs)
  const result = await sql<OpeningRow>`
    with door as (${door(claim.merchantId)}),
    bill as materialized (
      select v.status from invoices v
      where v.merchant_id = ${claim.merchantId} and v.id = (
        select p.invoice_id from payment_intents p
        where p.merchant_id = ${claim.merchantId} and p.id = ${uuidOf(intentId)}::uuid)
      for update
    ),
    i as materialized (
      select p.* from payment_intents p, door
      where door.open and p.merchant_id = ${claim.merchantId} and p.id = ${uuidOf(intentId)}::uuid
        and (p.invoice_id is null or exists (select 1 from bill))
      for update of p
    ),
    payer as materialized (
      update customers c set last_used_at = greatest(c.last_used_at, ${now}::timestamptz)
      from i where c.merchant_id = i.merchant_id and c.id = coalesce(i.customer_id, ${named}::uuid)
        and c.erased_at is null
      returning c.id
    ),
    ${charge.session === null ? sql`` : lockSession(charge.session, now)}
    eligible as materialized (
      select i.*, coalesce(i.customer_id, ${named}::uuid) as payer_id from i ${charge.session === null ? sql`` : sql`, session`}
      where i.status = 'requires_payment_method' and ${charge.rail} = any (i.payment_method_types)
        and i.currency = ${charge.settlementCurrency}
        and (i.customer_id is null or ${named}::uuid is null or i.customer_id = ${named}::uuid)
        and (coalesce(i.customer_id, ${named}::uuid) is null or exists (select 1 from payer))
        and (i.invoice_id is null or exists (select 1 from bill where status in ('open', 'uncollectible')))
    ),
    k as (${hold.released === null ? claimKey(claim, charge, hold) : retakeKey(claim, charge, hold)}),
    c as (
      insert into charges
        (merchant_id, id, payment_intent_id, rail, status, amount, currency, customer_id, payer_msisdn, reference,
         opened_at, submit_deadline, next_query_at, request_id)
      select e.merchant_id, ${uuidOf(charge.id)}::uuid, e.id, ${charge.rail}, 'submitting', e.amount, e.currency,
        e.payer_id, ${charge.payer}, ${charge.reference}, ${now}::timestamptz,
        ${instant(charge.submitDeadlineMs)}::timestamptz, ${instant(charge.firstQueryAtMs)}::timestamptz,
        ${claim.requestId}
      from eligible e, k
      on conflict do nothing
      returning merchant_id, payment_intent_id, customer_id
    ),
    u as (
      update payment_intents p set
        error_code = null, error_decline_code = null, error_message = null, error_rail = null,
        customer_id = c.customer_id, revision = p.revision + 1
      from c where p.merchant_id = c.merchant_id and p.id = c.payment_intent_id
        and (p.error_code is not null or p.customer_id is distinct from c.customer_id)
      returning p.revision
    ),
    billed as (
      update invoices v set revision = v.revision + 1
      from eligible e
      where e.invoice_id is not null and v.merchant_id = e.merchant_id and v.id = e.invoice_id
        and exists (select 1 from c)
    )${charge.session === null ? sql`` : holdSession}${named === null ? sql`` : adoptCopies(named)}
    select door.open as client_open, (select fence from k) as fence, exists (select 1 from c) as opened,
      (select revision from u) as changed_revision, i.*
    from door left join i on true`.execute(writer)
  const row = result.rows[0]
  if (row === undefined || row.id === null) {
    return { clientOpen: row?.client_open ?? false, intent: undefined, fence: null, charge: undefined }
  }
  const { client_open: clientOpen, fence, opened, changed_revision: revision, ...intentRow } = row
  const read = intentOf(intentRow as IntentRow)
  const intent = opened ? clearedForCharge(read, charge, revision) : read
  return { clientOpen, intent, fence, charge: opened ? submitting(intent, charge) : undefined }
}

// After the intent, as a settlement locks them.
const lockSession = (id: CheckoutSessionId, now: string) => sql`
  session as materialized (
    select s.merchant_id, s.id as session_id from i cross join lateral (
      select s.merchant_id, s.id from checkout_sessions s
      where s.merchant_id = i.merchant_id and s.id = ${uuidOf(id)}::uuid and s.payment_intent_id = i.id
        and s.status = 'open' and s.expires_at > ${now}::timestamptz
      for update) s
  ),`

// An expiry that was planned from an earlier revision, and whose snapshot cannot see this charge, finds nothing to write.
const holdSession = sql`,
  held as (
    update checkout_sessions s set revision = s.revision + 1
    from c, session where s.merchant_id = session.merchant_id and s.id = session.session_id
  )`

const claimKey = (claim: KeyClaim, charge: NewCharge, { untilMs }: Hold) => sql`
  insert into idempotency_keys as k
    (merchant_id, scope, key, fingerprint, resource_id, held_until, customer_id, expires_at)
  select merchant_id, ${claim.scope}, ${claim.key}, ${claim.fingerprint}, ${uuidOf(charge.id)}::uuid,
    ${instant(untilMs)}::timestamptz, payer_id, ${instant(charge.openedAtMs + KEY_LIFE_MS)}::timestamptz
  from eligible
  ${onExpired(charge.openedAtMs)}
  returning fence`

// The fencing number lets one of several re-executions through.
const retakeKey = (claim: KeyClaim, charge: NewCharge, { untilMs, released }: Hold) => sql`
  update idempotency_keys k set fence = k.fence + 1, resource_id = ${uuidOf(charge.id)}::uuid,
    held_until = ${instant(untilMs)}::timestamptz, customer_id = e.payer_id
  from eligible e
  where k.merchant_id = e.merchant_id and k.scope = ${claim.scope} and k.key = ${claim.key}
    and k.fence = ${released} and k.status is null
  returning k.fence`

type OpeningRow = { [K in keyof IntentRow]: IntentRow[K] | null } & {
  client_open: boolean
  fence: number | null
  opened: boolean
  changed_revision: number | null
}

/** An earlier refusal is cleared by the transaction that opens the next charge; a customer named then stays. */
function clearedForCharge(intent: Intent, charge: NewCharge, revision: number | null): Intent {
  const customerId = intent.customerId ?? charge.namedCustomer
  return { ...intent, lastPaymentError: null, customerId, revision: revision ?? intent.revision }
}

function submitting(intent: Intent, charge: NewCharge): Charge<'submitting'> {
  return {
    merchantId: intent.merchantId,
    id: charge.id,
    intentId: intent.id,
    rail: charge.rail,
    status: 'submitting',
    amountMinor: intent.amountMinor,
    currency: intent.currency,
    customerId: intent.customerId,
    reference: charge.reference,
    railToken: null,
    callbackSecret: null,
    railTxnId: null,
    railCode: null,
    railMessage: null,
    openedAtMs: charge.openedAtMs,
    submitDeadlineMs: charge.submitDeadlineMs,
    acknowledgedAtMs: null,
    settledAtMs: null,
    nextQueryAtMs: charge.firstQueryAtMs,
    queryRung: 0,
    lastQueryAtMs: null,
    notFoundCount: 0,
    ruling: null,
    revision: 0,
  }
}

export async function findCharge(
  reader: Reader,
  merchantId: MerchantId,
  uuid: string,
): Promise<Charge | undefined> {
  const row = await reader
    .selectFrom('charges')
    .select(chargeColumns)
    .where('merchant_id', '=', merchantId)
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row === undefined ? undefined : chargeOf(row)
}

const among = (charges: readonly Charge[], uuid: (charge: Charge) => string) =>
  sql<boolean>`(merchant_id, id) in (select * from unnest(
    ${charges.map(({ merchantId }) => merchantId)}::text[], ${charges.map(uuid)}::uuid[]))`

/** The intents of a batch of charges, as they are now. */
export async function loadIntents(
  reader: Reader,
  charges: readonly Charge[],
): Promise<Map<PaymentIntentId, Intent>> {
  const rows = await reader
    .selectFrom('payment_intents')
    .selectAll()
    .where(among(charges, ({ intentId }) => uuidOf(intentId)))
    .execute()
  return new Map(rows.map((row) => [idOf('pi', row.id), intentOf(row)]))
}

/** A batch of charges read again, after some of them changed under a plan. */
export async function reloadCharges(reader: Reader, charges: readonly Charge[]): Promise<Charge[]> {
  const rows = await reader
    .selectFrom('charges')
    .select(chargeColumns)
    .where(among(charges, ({ id }) => uuidOf(id)))
    .execute()
  return rows.map(chargeOf)
}

const chargeQueue = {
  table: 'charges',
  key: ['merchant_id', 'id'],
  due: 'next_query_at',
  waiting: sql`true`,
} as const

/** Leases charges that are due for a status query; those of rails in `busy` wait, so that a slow rail delays no other. */
export async function claimCharges(
  writer: Writer,
  order: ClaimOrder,
  busy: readonly string[] = [],
): Promise<Charge[]> {
  const queue =
    busy.length === 0 ? chargeQueue : { ...chargeQueue, waiting: sql`rail <> all (${busy}::text[])` }
  const rows = await claimDue<ChargeRow>(writer, queue, order)
  return rows.map(chargeOf)
}

export interface Reschedule {
  readonly charge: Charge
  readonly nextQueryAtMs: number | null
  readonly queryRung: number
  readonly notFoundCount: number
}

/** Sets when the rail is asked again, after answers that settled nothing. A charge whose lease was lost is left alone. */
export async function rescheduleCharges(
  writer: Writer,
  reschedules: readonly Reschedule[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<void> {
  if (reschedules.length === 0) return
  const batch = reschedules.map(({ charge, nextQueryAtMs, queryRung, notFoundCount }) => ({
    merchant_id: charge.merchantId,
    id: uuidOf(charge.id),
    next_query_at: nextQueryAtMs === null ? null : instant(nextQueryAtMs),
    query_rung: queryRung,
    not_found_count: notFoundCount,
  }))
  // A row due after its claim was pulled forward by a callback that came while the rail was asked.
  const claimedAt = instant(leaseUntilMs - LEASE_MS)
  const soonest = instant(nowMs + QUERY_INTERVAL_MIN_MS)
  await sql`
    update charges c set
      next_query_at = case when c.next_query_at > ${claimedAt}::timestamptz
        then least(t.next_query_at, greatest(c.next_query_at, ${soonest}::timestamptz)) else t.next_query_at end,
      query_rung = t.query_rung, not_found_count = t.not_found_count,
      last_query_at = ${instant(nowMs)}::timestamptz, lease_until = null
    from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as t (
      merchant_id text, id uuid, next_query_at timestamptz, query_rung smallint, not_found_count smallint)
    where c.merchant_id = t.merchant_id and c.id = t.id and c.lease_until = ${instant(leaseUntilMs)}::timestamptz
  `.execute(writer)
}

/**
 * Spec 1.6: all that a callback can do. Makes the charge's next query due, but never sooner than the interval after
 * its last one, so that a stranger's posts cannot make us call the rail more often. While the rail is being asked, the
 * query after that one.
 */
export async function pullForward(
  writer: Writer,
  rail: RailCode,
  { by, value }: CallbackReference,
  nowMs: number,
): Promise<void> {
  const column = { reference: 'reference', callback_secret: 'callback_secret' }[by]
  const now = sql`${instant(nowMs)}::timestamptz`
  const soonest = sql`greatest(${now}, case when lease_until > ${now} then ${now} else last_query_at end
    + make_interval(secs => ${QUERY_INTERVAL_MIN_MS / 1000}))`
  await sql`
    update charges set next_query_at = ${soonest}
    where rail = ${rail} and ${sql.ref(column)} = ${value} and status in ('live', 'unconfirmed', 'failed', 'abandoned')
      and (next_query_at > ${soonest} or (next_query_at <= ${now} and lease_until > ${now}))
  `.execute(writer)
}

const chargeColumns = [
  'merchant_id',
  'id',
  'payment_intent_id',
  'rail',
  'status',
  'amount',
  'currency',
  'customer_id',
  'reference',
  'rail_token',
  'callback_secret',
  'rail_txn_id',
  'rail_code',
  'rail_message',
  'opened_at',
  'submit_deadline',
  'acknowledged_at',
  'settled_at',
  'next_query_at',
  'query_rung',
  'last_query_at',
  'not_found_count',
  'ruling',
  'revision',
] as const
