import type { SessionStatus } from '@merchant-payments/contract'
import type { CheckoutSessionTable, PaymentIntentTable, Reader, Writer } from '@merchant-payments/db'
import { instant } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Attempts } from '../base/attempts.ts'
import { columnsIn, columnsOf, isInState } from '../base/columns.ts'
import { isNotMoving } from '../base/client-status.ts'
import { type Find, guarded, ofClient, oneRow, smallRow } from '../reads/store.ts'
import { eventFields, eventRecord, selectEvents, writeEvents } from '../commit/write-events.ts'
import type { KeyClaim, NewAnswer } from '../commit/key.ts'
import { claimKey } from '../commit/claim-keys.ts'
import { insertRow, type NewRow, newRows } from '../commit/new-rows.ts'
import {
  type CheckoutSessionId,
  type CustomerId,
  idOf,
  idOrNull,
  type MerchantId,
  type PaymentIntentId,
  uuidOf,
  uuidOrNull,
} from '../base/ids.ts'
import type { SetAside } from '../queue/read-in-halves.ts'
import { notResting, plainUuid } from '../queue/refusals.ts'
import { findStep } from '../queue/walk-store.ts'
import type { Round, Step } from '../queue/walk.ts'
import { type ListedTable, listOf } from '../pages/store.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { attemptsOf, intentColumns, type IntentRow, intentOf } from '../payment-intents/store.ts'
import type { RailCode } from '../rails/port.ts'
import { isOpenCharge } from '../charges/store.ts'
import type { Session, SessionChange, SessionFields } from './session.ts'
import { rowsJson } from '../base/rows-json.ts'

type IntentOfSession = Pick<Selectable<PaymentIntentTable>, 'amount' | 'currency' | 'payment_method_types'>

export const sessionColumns = [
  'merchant_id',
  'id',
  'payment_intent_id',
  'status',
  'payment_status',
  'customer_id',
  'client_secret',
  'ui_mode',
  'success_url',
  'cancel_url',
  'return_url',
  'client_reference_id',
  'locale',
  'metadata',
  'livemode',
  'expires_at',
  'revision',
] as const satisfies readonly (keyof CheckoutSessionTable)[]

type SessionRow = Selectable<CheckoutSessionTable> & IntentOfSession

export function sessionOf(row: SessionRow): Session {
  const fields: SessionFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('cs', row.id),
    intentId: idOf('pi', row.payment_intent_id),
    paymentStatus: row.payment_status,
    amountMinor: row.amount,
    currency: row.currency,
    paymentMethodTypes: row.payment_method_types as RailCode[],
    customerId: idOrNull('cus', row.customer_id),
    storedSecret: row.client_secret,
    uiMode: row.ui_mode,
    successUrl: row.success_url,
    cancelUrl: row.cancel_url,
    returnUrl: row.return_url,
    clientReferenceId: row.client_reference_id,
    locale: row.locale,
    metadata: row.metadata,
    livemode: row.livemode,
    expiresAtMs: row.expires_at,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

export const sessionRows = newRows('checkout_sessions', {
  merchant_id: 'text',
  id: 'uuid',
  payment_intent_id: 'uuid',
  status: 'text',
  customer_id: 'uuid',
  ui_mode: 'text',
  success_url: 'text',
  cancel_url: 'text',
  return_url: 'text',
  client_reference_id: 'text',
  locale: 'text',
  metadata: 'jsonb',
  livemode: 'boolean',
  expires_at: 'timestamptz',
})

export const newSessionRow = (session: Session<'open'>): NewRow<typeof sessionRows> => ({
  merchant_id: session.merchantId,
  id: uuidOf(session.id),
  payment_intent_id: uuidOf(session.intentId),
  status: session.status,
  customer_id: uuidOrNull(session.customerId),
  ui_mode: session.uiMode,
  success_url: session.successUrl,
  cancel_url: session.cancelUrl,
  return_url: session.returnUrl,
  client_reference_id: session.clientReferenceId,
  locale: session.locale,
  metadata: session.metadata,
  livemode: session.livemode,
  expires_at: instant(session.expiresAtMs),
})

export interface Adoptable {
  readonly intent: Intent
  readonly hasSession: boolean
  readonly customerErased: boolean
  readonly attempts: Attempts
}

export const findAdoptable: Find<'pi', Adoptable> = async (reader, merchantId, id) => {
  const row = await adoptableById(reader, { merchantId, id: uuidOf(id) })
  const { has_session: hasSession, customer_erased: customerErased, attempts } = row
  return guarded(row, (intent: IntentRow) => ({
    intent: intentOf(intent),
    hasSession,
    customerErased,
    attempts,
  }))
}

const hasSessionOf = sql<boolean>`exists (
  select 1 from checkout_sessions s where s.merchant_id = p.merchant_id and s.payment_intent_id = p.id
)`.as('has_session')

const customerErasedOf = sql<boolean>`exists (
  select 1 from customers c where c.merchant_id = p.merchant_id and c.id = p.customer_id and c.erased_at is not null
)`.as('customer_erased')

const adoptableById = oneRow((keyed) =>
  keyed
    .leftJoin('payment_intents as p', ofClient('p'))
    .select([hasSessionOf, customerErasedOf, attemptsOf.as('attempts')])
    .select(columnsIn('p', intentColumns)),
)

/**
 * The intent's revision grows, so that only one of two sessions planned from one read is written. Also stamps the
 * customer's last use (spec 4.3.6).
 *
 * @returns false if the intent, its customer or the key has changed meanwhile
 */
export async function adoptIntent(
  writer: Writer,
  claim: KeyClaim,
  intent: Intent,
  session: Session<'open'>,
  answer: NewAnswer,
  nowMs: number,
): Promise<boolean> {
  const customer = uuidOrNull(intent.customerId)
  const stamp = sql`
    update customers c set last_used_at = greatest(c.last_used_at, ${instant(nowMs)}::timestamptz)
    from i where c.merchant_id = i.merchant_id and c.id = i.customer_id and c.erased_at is null
    returning 1`
  const result = await sql<{ written: boolean }>`
    with i as materialized (
      select p.merchant_id, p.id, p.customer_id from payment_intents p
      where p.merchant_id = ${claim.merchantId} and p.id = ${uuidOf(intent.id)}::uuid and p.revision = ${intent.revision}
      for update of p
    ),
    ready as (${customer === null ? sql`select 1 from i` : stamp}),
    k as (${claimKey(claim, answer, { from: sql`ready`, customer, nowMs })}),
    s as (${insertRow(sessionRows, newSessionRow(session), sql`k`)}),
    u as (
      update payment_intents p set revision = p.revision + 1
      from i, k where p.merchant_id = i.merchant_id and p.id = i.id
    )
    select exists (select 1 from k) as written`.execute(writer)
  return result.rows[0]?.written === true
}

/** The limit makes the planner look up one intent per session, instead of reading all intents of the merchant. */
const theIntent = sql<IntentOfSession>`(
  select p.amount, p.currency, p.payment_method_types from payment_intents p
  where p.merchant_id = s.merchant_id and p.id = s.payment_intent_id limit 1)`.as<'p'>(sql.ref('p'))

const sessionById = smallRow((keyed) =>
  keyed
    .leftJoin('checkout_sessions as s', ofClient('s'))
    .leftJoinLateral(theIntent, (join) => join.onTrue())
    .select(['p.amount', 'p.currency', 'p.payment_method_types'])
    .select(columnsIn('s', sessionColumns)),
)

export const findSession: Find<'cs', Session> = async (reader, merchantId, id) =>
  guarded(await sessionById(reader, { merchantId, id: uuidOf(id) }), sessionOf)

const listedSessions: ListedTable<Selectable<CheckoutSessionTable>> = {
  table: 'checkout_sessions',
  columns: sessionColumns,
  measured: ['success_url', 'cancel_url', 'return_url', 'client_reference_id', 'metadata'],
}

export interface SessionFilter {
  readonly intentId: PaymentIntentId | null
  readonly customerId: CustomerId | null
  readonly status: SessionStatus | null
}

/**
 * The unique key finds the intent's only session without walking the list. The merchant is compared here too, because
 * the bounds of a list do not make PostgreSQL look the id up in the primary key.
 */
const isOfIntent = (intentId: RawBuilder<string>, merchantId: RawBuilder<string>) => sql<boolean>`
  merchant_id = ${merchantId} and id = (
    select s.id from checkout_sessions s
    where s.merchant_id = ${merchantId} and s.payment_intent_id = ${intentId}::uuid)`

export const listSessions = listOf({
  listed: listedSessions,
  alias: 's',
  itemOf: (row) => sessionOf(row as SessionRow),
  extra: {
    columns: sql`p.amount, p.currency, p.payment_method_types`,
    joins: sql`left join lateral ${theIntent} on true`,
  },
  conditions: { intentId: isOfIntent, customerId: 'customer_id' },
})

/**
 * A count and not EXISTS: PostgreSQL may turn EXISTS into a join. A plan made while few charges were live would then
 * read all live charges for each session.
 */
const liveChargeOf = (session: string) => sql<boolean>`(
  select count(*) > 0 from charges c where c.merchant_id = ${sql.ref(`${session}.merchant_id`)}
    and c.payment_intent_id = ${sql.ref(`${session}.payment_intent_id`)}
    and ${isOpenCharge('c')})`

const liveCharge = liveChargeOf('s')

export async function hasLiveCharge(reader: Reader, { merchantId, id }: Session): Promise<boolean> {
  const row = await reader
    .selectFrom('checkout_sessions as s')
    .select(liveCharge.as('live'))
    .where('s.merchant_id', '=', merchantId)
    .where('s.id', '=', uuidOf(id))
    .executeTakeFirst()
  return row?.live === true
}

const isOpen = isInState<SessionStatus, 'open'>('s.status', { complete: true, expired: true })

/** @returns false if the session or the key has changed meanwhile, or a charge is live */
export async function writeExpiry(
  writer: Writer,
  claim: KeyClaim,
  { before }: SessionChange<'expired'>,
  answer: NewAnswer,
  nowMs: number,
): Promise<boolean> {
  const result = await sql<{ written: boolean }>`
    with held as materialized (
      select s.merchant_id, s.id from checkout_sessions s
      where s.merchant_id = ${claim.merchantId} and s.id = ${uuidOf(before.id)}::uuid and ${isOpen}
        and s.revision = ${before.revision} and not ${liveCharge}
      for update of s
    ),
    k as (${claimKey(claim, answer, { from: sql`held`, customer: null, nowMs })}),
    u as (
      update checkout_sessions s set status = 'expired', revision = s.revision + 1
      from held, k where s.merchant_id = held.merchant_id and s.id = held.id
    )
    select exists (select 1 from k) as written`.execute(writer)
  return result.rows[0]?.written === true
}

export const LAPSE_BATCH_MAX = 500
/** While a rail hangs, most of these sessions have a live charge. */
const LAPSE_STEP_MAX = 2_000

const shownOverdue = [...sessionColumns, 'amount', 'currency', 'payment_method_types'] as const

export async function findOverdue(
  reader: Reader,
  round: Round,
  nowMs: number,
  setAside: SetAside<CheckoutSessionId> = async () => {},
): Promise<Step<Session<'open'>>> {
  const { found, next } = await findStep<SessionRow>(reader, round, {
    table: 'checkout_sessions',
    order: { expires_at: 'timestamptz', merchant_id: 'text', id: 'uuid' },
    reads: ['payment_intent_id'],
    isDue: sql`t.status = 'open' and t.expires_at <= ${instant(round.untilMs)}::timestamptz`,
    mayTake: sql`${isNotMoving(sql`t.merchant_id`)} and ${notResting('expire-sessions', plainUuid('t.id'), nowMs)}
      and not ${liveChargeOf('t')}`,
    readMax: LAPSE_STEP_MAX,
    takenMax: LAPSE_BATCH_MAX,
    shown: {
      columns: shownOverdue,
      row: sql`select ${columnsOf('s', sessionColumns)}, p.amount, p.currency, p.payment_method_types
        from checkout_sessions s cross join lateral ${theIntent}
        where s.merchant_id = f.merchant_id and s.id = f.id and ${isOpen} limit 1`,
      setAside: ({ id = '' }, error) => setAside(idOf('cs', id), error),
    },
  })
  return { found: found.map((row) => sessionOf(row) as Session<'open'>), next }
}

/**
 * Skips sessions that have changed, and sessions that another transaction holds, because waiting for these could
 * deadlock with a settlement. The next sweep takes them.
 *
 * @returns how many were written
 */
export async function writeLapses(
  writer: Writer,
  changes: readonly SessionChange<'expired'>[],
  nowMs: number,
): Promise<number> {
  const batch = changes.map(({ before, event }) => ({
    merchant_id: before.merchantId,
    id: uuidOf(before.id),
    revision: before.revision,
    ...eventFields(event, nowMs),
  }))
  const events = selectEvents(sql`held`, sql`null::text`)
  const result = await sql<{ written: number }>`
    with held as materialized (
      select t.* from json_to_recordset(${rowsJson(batch)}::json) as t (
        merchant_id text, id uuid, revision integer, ${sql.raw(eventRecord)})
      cross join lateral (
        select 1 from checkout_sessions s
        where s.merchant_id = t.merchant_id and s.id = t.id and ${isOpen} and s.revision = t.revision
          and not ${liveCharge}
        for update skip locked) s
    ),
    u as (
      update checkout_sessions s set status = 'expired', revision = s.revision + 1
      from held where s.merchant_id = held.merchant_id and s.id = held.id
    ),
    ${sql.join(writeEvents({ select: events, single: false, after: [] }))}
    select count(*)::integer as written from held`.execute(writer)
  return result.rows[0]?.written ?? 0
}
