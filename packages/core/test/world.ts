import { Refusal } from '@merchant-payments/contract'
import { type Database, instant, type Tx, type Writer } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase, holdTransaction } from '@merchant-payments/testing'
import { dumpDatabase } from '@merchant-payments/testing/dump'
import { type KyselyPlugin, type RawBuilder, sql } from 'kysely'
import type { AlertFacts, AlertName } from '../src/base/alerts.ts'
import type { Charge } from '../src/charges/charge.ts'
import { findCharge } from '../src/charges/store.ts'
import type { Session } from '../src/checkout-sessions/session.ts'
import { findSession } from '../src/checkout-sessions/store.ts'
import type { Deps } from '../src/deps.ts'
import { finishErasures } from '../src/customers/erasure/erase.ts'
import type { LockPolicy } from '../src/commit/lock-policy.ts'
import { batchWrites, type SharedWrite, type Writes } from '../src/commit/writes.ts'
import { fingerprintOf, type KeyClaim } from '../src/commit/key.ts'
import {
  type ChargeId,
  type CheckoutSessionId,
  type CustomerId,
  type Id,
  type InvoiceId,
  mintId,
  type PaymentIntentId,
  type RefundId,
  uuidOf,
} from '../src/base/ids.ts'
import type { Invoice } from '../src/invoices/invoice.ts'
import { merchantsOf } from '../src/base/merchants.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { findIntent } from '../src/payment-intents/store.ts'
import type { Refund } from '../src/refunds/refund.ts'
import { findRefund } from '../src/refunds/store.ts'
import {
  ACME,
  clientSecrets,
  makeCharge,
  makeIntent,
  makeRail,
  PAYER,
  PUSH,
  REDIRECT,
  T0,
  type TestRail,
} from './make.ts'

/** The service without its servers, on its own database, with a clock and rails that the test controls. */
export interface World extends Deps {
  /** The URL with which the service connects. */
  readonly appUrl: string
  /** The URL of the database's owner. */
  readonly url: string
  /** For changes that the service's role may not make. */
  readonly owner: Database
  readonly push: TestRail
  readonly redirect: TestRail
  readonly alerts: { name: AlertName; facts: AlertFacts }[]
  nowMs: number
  fault: Deps['fault']
  readonly stop: () => Promise<void>
}

const POOL_SIZE = 40
const OWNER_POOL_SIZE = 2

export const openPool = (url: string, poolSize: number): Database =>
  openTestDatabase(url, { poolSize, readConnections: 2, genericPlans: true })

/** A pool of the service whose statements wait for a lock only briefly, as do new connections of the world. */
export async function openImpatient({ appUrl, owner }: World): Promise<Database> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(owner.writer)
  await sql`alter database ${sql.id(rows[0]?.name ?? '')} set lock_timeout = '50ms'`.execute(owner.writer)
  return openPool(appUrl, 4)
}

export async function openWorld(): Promise<World> {
  const database = await cloneDatabase()
  const db = openPool(database.appUrl, POOL_SIZE)
  const owner = openPool(database.url, OWNER_POOL_SIZE)
  const push = makeRail(PUSH)
  const redirect = makeRail(REDIRECT)
  const alerts: World['alerts'] = []
  const world: World = {
    appUrl: database.appUrl,
    url: database.url,
    owner,
    db,
    writes: batchWrites(db.writer),
    push,
    redirect,
    rails: new Map([push, redirect].map((rail) => [rail.code, rail])),
    alerts,
    alert: (name, facts) => void alerts.push({ name, facts }),
    fault: () => undefined,
    deployment: {
      livemode: false,
      publicBaseUrl: 'https://api.example',
      checkoutBaseUrl: 'https://pay.example',
      callbackBaseUrl: 'https://api.example',
      merchants: merchantsOf([{ id: ACME, name: 'Acme', publishableKey: 'pk_acme' }]),
      clientSecrets,
      railDisplays: new Map(),
      payersMayLookUp: false,
      defaultCountryCode: '237',
    },
    nowMs: T0,
    clock: () => world.nowMs,
    stop: async () => {
      await Promise.all([world.db.close(), owner.close()])
      await database.drop()
    },
  }
  return world
}

type Db = Pick<World, 'db'>

/** Saves a succeeded intent together with the charge that paid it, because the database accepts neither alone. */
export async function saveIntent<I extends Intent>(
  { db }: Db,
  intent: I,
  paidBy: Partial<Charge> = {},
): Promise<I> {
  if (intent.status !== 'succeeded') {
    await intentRow(intent).execute(db.writer)
    return intent
  }
  const charge = chargeThatPaid(intent, paidBy)
  await sql`with intent as (${intentRow(intent)}) ${chargeRow(charge)}`.execute(db.writer)
  if (charge.nextQueryAtMs !== null) await chargeJobRow(charge).execute(db.writer)
  return intent
}

const chargeThatPaid = (
  { merchantId, id: intentId, amountMinor, currency, customerId }: Intent,
  fields: Partial<Charge> = {},
) => makeCharge('succeeded', { merchantId, intentId, amountMinor, currency, customerId, ...fields })

const intentRow = (intent: Intent) =>
  sql`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, customer_id,
      description, metadata, client_secret, livemode, invoice_id, error_code, error_decline_code, error_message, error_rail,
      redirect_url, return_url, canceled_at, cancellation_reason, revision)
    values (${intent.merchantId}, ${uuidOf(intent.id)}::uuid, ${intent.amountMinor}, ${intent.currency},
      ${intent.status}, ${intent.paymentMethodTypes}::text[], ${uuid(intent.customerId)}::uuid, ${intent.description},
      ${JSON.stringify(intent.metadata)}::jsonb, ${intent.storedSecret}, ${intent.livemode}, ${uuid(intent.invoiceId)}::uuid,
      ${intent.lastPaymentError?.code ?? null}, ${intent.lastPaymentError?.declineCode ?? null},
      ${intent.lastPaymentError?.message ?? null}, ${intent.lastPaymentError?.rail ?? null}, ${intent.redirectUrl},
      ${intent.returnUrl}, ${at(intent.canceledAtMs)}::timestamptz, ${intent.cancellationReason}, ${intent.revision})`

export async function saveSession<S extends Session>({ db }: Db, session: S): Promise<S> {
  await sql`insert into checkout_sessions (merchant_id, id, payment_intent_id, status, payment_status, customer_id,
      client_secret, ui_mode, success_url, cancel_url, return_url, client_reference_id, locale, metadata, livemode,
      expires_at, revision)
    values (${session.merchantId}, ${uuidOf(session.id)}::uuid, ${uuidOf(session.intentId)}::uuid, ${session.status},
      ${session.paymentStatus}, ${uuid(session.customerId)}::uuid, ${session.storedSecret}, ${session.uiMode},
      ${session.successUrl}, ${session.cancelUrl}, ${session.returnUrl}, ${session.clientReferenceId},
      ${session.locale}, ${JSON.stringify(session.metadata)}::jsonb, ${session.livemode},
      ${at(session.expiresAtMs)}::timestamptz, ${session.revision})
  `.execute(db.writer)
  return session
}

/** Saves the invoice for a new customer. */
export async function saveInvoice<I extends Invoice>(world: Db, invoice: I): Promise<I> {
  const saved = { ...invoice, customerId: await saveCustomer(world) }
  await invoiceRow(saved).execute(world.db.writer)
  return saved
}

/** Saves the invoice with a new succeeded intent of the invoice's total. */
export async function savePaidInvoice<I extends Invoice>(world: Db, invoice: I): Promise<I> {
  const { id: invoiceId, totalMinor: amountMinor, currency } = invoice
  const customerId = await saveCustomer(world)
  const intent = makeIntent('succeeded', { invoiceId, amountMinor, currency, customerId })
  const saved = { ...invoice, customerId, intentId: intent.id }
  await sql`with invoice as (${invoiceRow(saved)}), intent as (${intentRow(intent)})
    ${chargeRow(chargeThatPaid(intent))}`.execute(world.db.writer)
  return saved
}

const invoiceRow = (saved: Invoice) =>
  sql`insert into invoices (merchant_id, id, status, number, customer_id, currency, total, line_count, description,
      due_at, payment_intent_id, payment_method_types, metadata, livemode, finalized_at, paid_at, voided_at,
      marked_uncollectible_at, revision)
    values (${saved.merchantId}, ${uuidOf(saved.id)}::uuid, ${saved.status}, ${saved.number},
      ${uuid(saved.customerId)}::uuid, ${saved.currency}, ${saved.totalMinor}, ${saved.lineCount}, ${saved.description},
      ${at(saved.dueAtMs)}::timestamptz, ${uuid(saved.intentId)}::uuid, ${saved.paymentMethodTypes}::text[],
      ${JSON.stringify(saved.metadata)}::jsonb, ${saved.livemode}, ${at(saved.finalizedAtMs)}::timestamptz,
      ${at(saved.paidAtMs)}::timestamptz, ${at(saved.voidedAtMs)}::timestamptz,
      ${at(saved.markedUncollectibleAtMs)}::timestamptz, ${saved.revision})`

export async function saveCharge<C extends Charge>({ db }: Db, charge: C): Promise<C> {
  await chargeRow(charge).execute(db.writer)
  if (charge.nextQueryAtMs !== null) await chargeJobRow(charge).execute(db.writer)
  return charge
}

const chargeRow = (charge: Charge) =>
  sql`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, customer_id,
      payer_msisdn, reference, rail_token, callback_secret, rail_txn_id, rail_code, rail_message, opened_at,
      submit_deadline, acknowledged_at, settled_at, revision)
    values (${charge.merchantId}, ${uuidOf(charge.id)}::uuid, ${uuidOf(charge.intentId)}::uuid, ${charge.rail},
      ${charge.status}, ${charge.amountMinor}, ${charge.currency}, ${uuid(charge.customerId)}::uuid, ${PAYER},
      ${charge.reference}, ${charge.railToken}, ${charge.callbackSecret}, ${charge.railTxnId}, ${charge.railCode},
      ${charge.railMessage}, ${at(charge.openedAtMs)}::timestamptz, ${at(charge.submitDeadlineMs)}::timestamptz,
      ${at(charge.acknowledgedAtMs)}::timestamptz, ${at(charge.settledAtMs)}::timestamptz,
      ${charge.revision})`

const chargeJobRow = (charge: Charge) =>
  sql`insert into charge_jobs
      (merchant_id, charge_id, rail, due_at, rung, last_query_at, not_found_count)
    values (${charge.merchantId}, ${uuidOf(charge.id)}::uuid, ${charge.rail}, ${at(charge.nextQueryAtMs)}::timestamptz,
      ${charge.queryRung}, ${at(charge.lastQueryAtMs)}::timestamptz, ${charge.notFoundCount})`

/** The job of a refund that its rail has neither accepted nor refused. */
export interface SavedJob {
  readonly dueAtMs: number
  readonly tries: number
  readonly notFoundCount: number
}

/** Saves the refund with its job, and with its reservation on its intent. */
export async function saveRefund<R extends Refund>(
  { db }: Db,
  refund: R,
  /** Default: a job only for one that the rail has neither accepted nor refused. */
  job: Partial<SavedJob> | null = null,
): Promise<R> {
  const { dueAtMs = T0 + 8_000, tries = 0, notFoundCount = 0 } = job ?? {}
  await sql`with reserved as (
      update payment_intents set refund_reserved = refund_reserved + ${refund.amountMinor}
      where id = ${uuidOf(refund.intentId)}::uuid and ${refund.status} in ('pending', 'requires_action')
    )
    insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, customer_id, reason,
      failure_reason, metadata, livemode, opened_at, rail, reference, instruction, destination_msisdn, submit_deadline,
      revision)
    values (${refund.merchantId}, ${uuidOf(refund.id)}::uuid, ${uuidOf(refund.intentId)}::uuid, ${refund.status},
      ${refund.amountMinor}, ${refund.currency}, ${uuid(refund.customerId)}::uuid, ${refund.reason},
      ${refund.failureReason}, ${JSON.stringify(refund.metadata)}::jsonb, ${refund.livemode},
      ${at(refund.openedAtMs)}::timestamptz, ${refund.rail}, ${refund.reference}, ${refund.instruction},
      ${refund.destination}, ${at(refund.submitDeadlineMs)}::timestamptz, ${refund.revision})
  `.execute(db.writer)
  const isOpen = refund.status === 'pending' && ['unsent', 'sent'].includes(refund.instruction)
  if (!isOpen && job === null) return refund
  await sql`insert into refund_jobs (merchant_id, refund_id, rail, due_at, tries, not_found_count)
    values (${refund.merchantId}, ${uuidOf(refund.id)}::uuid, ${refund.rail}, ${at(dueAtMs)}::timestamptz, ${tries},
      ${notFoundCount})`.execute(db.writer)
  return refund
}

/** A paid intent, on the push rail unless another is named. */
export const savePaid = (
  world: Db,
  fields: Partial<Intent> = {},
  { rail = PUSH } = {},
): Promise<Intent<'succeeded'>> => saveIntent(world, makeIntent('succeeded', fields), { rail })

export async function reservedOf({ db }: Db, id: PaymentIntentId): Promise<number | undefined> {
  const row = await db.reader
    .selectFrom('payment_intents')
    .select('refund_reserved')
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row?.refund_reserved
}

export async function readRefund({ db }: Db, id: RefundId): Promise<Refund> {
  const { found } = await findRefund(db.reader, ACME, id)
  if (found === undefined) throw new Error('no such refund')
  return found
}

/** Null once the refund has no job. */
export async function readJob({ db }: Db, id: RefundId) {
  const job = await db.reader
    .selectFrom('refund_jobs')
    .select(['due_at', 'lease_until', 'tries', 'not_found_count', 'failures', 'rested_at'])
    .where('refund_id', '=', uuidOf(id))
    .executeTakeFirst()
  return job ?? null
}

export async function saveCustomer(
  { db }: Db,
  fields: { erased?: boolean; usedAtMs?: number } = {},
): Promise<CustomerId> {
  const id = mintId('cus', T0)
  await sql`insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
    values (${ACME}, ${uuidOf(id)}::uuid, 'Ada', '{}', false, ${instant(fields.usedAtMs ?? T0)}::timestamptz)
  `.execute(db.writer)
  if (fields.erased === true) await markErased(db.writer, id)
  return id
}

/** When a payment resource last named the customer. */
export async function usedAt({ db }: Db, id: CustomerId): Promise<number | undefined> {
  const row = await db.reader
    .selectFrom('customers')
    .select('last_used_at')
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row?.last_used_at
}

/** Redacts only the customer's row, as an erasure does. */
export async function markErased(writer: Writer, id: CustomerId, atMs = T0): Promise<void> {
  const columns = ['name', 'email', 'phone', 'line1', 'line2', 'city', 'state', 'postal_code', 'country']
  await sql`update customers set ${sql.raw(columns.map((column) => `${column} = '[redacted]'`).join())},
      latitude_microdeg = null, longitude_microdeg = null, erased_at = ${instant(atMs)}::timestamptz
    where id = ${uuidOf(id)}::uuid`.execute(writer)
}

export async function readIntent({ db }: Db, id: PaymentIntentId): Promise<Intent | undefined> {
  return (await findIntent(db.reader, ACME, id)).found
}

export async function readSession({ db }: Db, id: CheckoutSessionId): Promise<Session | undefined> {
  return (await findSession(db.reader, ACME, id)).found
}

export const readCharge = ({ db }: Db, id: ChargeId): Promise<Charge | undefined> =>
  findCharge(db.reader, ACME, uuidOf(id))

export async function chargesOf({ db }: Db, id: PaymentIntentId): Promise<Charge[]> {
  const rows = await db.reader
    .selectFrom('charges')
    .select('id')
    .where('payment_intent_id', '=', uuidOf(id))
    .orderBy('id')
    .execute()
  const charges = await Promise.all(rows.map((row) => findCharge(db.reader, ACME, row.id)))
  return charges.flatMap((charge) => charge ?? [])
}

/** The events of a resource in the order of writing: types and bodies. */
export async function eventsOf(
  { db }: Db,
  id: Id<'pi' | 'cs' | 're'>,
): Promise<{ type: string; body: unknown }[]> {
  const rows = await db.reader
    .selectFrom('events')
    .select(['type', 'body'])
    .where(sql<boolean>`body::jsonb -> 'data' -> 'object' ->> 'id' = ${id}`)
    .orderBy('id')
    .execute()
  return rows.map(({ type, body }) => ({ type, body: JSON.parse(body) as unknown }))
}

export const typesOf = async (world: Db, id: Id<'pi' | 'cs' | 're'>) =>
  (await eventsOf(world, id)).map(({ type }) => type)

let claims = 0

/** A claim with a new key unless one is named. The request is the same unless a body is given. */
export const claimOf = (key = `key-${++claims}`, body = 'a=1'): KeyClaim => ({
  merchantId: ACME,
  scope: 'v1',
  key,
  fingerprint: fingerprintOf('POST', '/v1/payment_intents', new TextEncoder().encode(body)),
  requestId: `req_of_${key}`,
  okStatus: 200,
})

/** As `claimOf`, of an operation that answers 201. */
export const creatingClaimOf = (...request: Parameters<typeof claimOf>): KeyClaim => ({
  ...claimOf(...request),
  okStatus: 201,
})

export async function readKey({ db }: Db, { key }: KeyClaim) {
  return db.reader
    .selectFrom('idempotency_keys')
    .select([
      'status',
      'should_retry',
      'body',
      'resource_id',
      'fence',
      'held_until',
      'customer_id',
      'expires_at',
    ])
    .where('key', '=', key)
    .executeTakeFirst()
}

/** The answer, or the code of its refusal. */
export const orCode = <T>(answer: Promise<T>) =>
  answer.catch((error: unknown) => {
    if (error instanceof Refusal) return error.code
    throw error
  })

/** A confirm on the push rail, unless another is named. */
export const confirmation = (rail: typeof PUSH = PUSH) => ({
  paymentMethodData: { [rail]: rail === PUSH ? { msisdn: PAYER } : {} },
  customer: null,
  returnUrl: rail === PUSH ? null : 'https://shop.example/back',
  locale: null,
})

/** Holds what a statement locks. @returns a function that ends its transaction */
export const hold = ({ db }: Db, lock: RawBuilder<unknown>) => holdTransaction(db, (tx) => lock.execute(tx))

/** Waits until so many statements wait for a lock of another transaction, or `isOver` says that one has ended. */
export async function untilWaiting({ db }: Db, count = 1, isOver = () => false): Promise<void> {
  for (let waiting = 0; waiting < count && !isOver(); ) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db.writer)
    waiting = rows[0]?.n ?? 0
  }
}

/** The tables of the database that contain the number of `PAYER`. A partition counts as its table. */
export async function payerPlacesOf({ url }: World): Promise<string[]> {
  const dump = await dumpDatabase(url)
  return [...dump].flatMap(([table, lines]) =>
    lines.some((line) => line.includes(PAYER)) ? [table.replace(/_(?:\d{6}|default)$/, '')] : [],
  )
}

/** Does the worker's part of erasures: makes each due again until none is left. */
export async function finishAll(world: World): Promise<void> {
  const left = async () => (await sql`select from customer_erasures limit 1`.execute(world.db.writer)).rows
  while ((await left()).length > 0) {
    await sql`update customer_erasures set due_at = now(), lease_until = null`.execute(world.db.writer)
    await finishErasures(world)
  }
}

/** A confirm whose process dies while it waits for the rail's answer to the submit. */
export async function dieSubmitting(world: World, intent: Intent, claim: KeyClaim): Promise<void> {
  const { promise: submitting, resolve } = Promise.withResolvers<void>()
  world.push.whenSubmitted = () => {
    resolve()
    return new Promise(() => undefined)
  }
  void confirmIntent(world, claim, intent.id, confirmation())
  await submitting
  world.push.submitted.length = 0
}

const at = (ms: number | null) => (ms === null ? null : instant(ms))
const uuid = (id: CustomerId | InvoiceId | PaymentIntentId | null) => (id === null ? null : uuidOf(id))

interface CountedStatement {
  readonly items: readonly unknown[]
  readonly ifLocked: LockPolicy
}

/** Writes whose shared statements are listed, each with its items. */
export function countedWrites(writer: Writer): { writes: Writes; statements: CountedStatement[] } {
  const statements: CountedStatement[] = []
  const writes = batchWrites(writer)
  const counted = new Map<unknown, unknown>()
  const countedOf = <Item, Result>(shared: SharedWrite<Item, Result>): SharedWrite<Item, Result> => {
    const made = (counted.get(shared) as SharedWrite<Item, Result> | undefined) ?? {
      ...shared,
      write: (to, items, ifLocked) => {
        statements.push({ items, ifLocked })
        return shared.write(to, items, ifLocked)
      },
    }
    counted.set(shared, made)
    return made
  }
  const together: Writes['together'] = (shared, item) => writes.together(countedOf(shared), item)
  return { writes: { ...writes, together }, statements }
}

/** The database, which calls `act` between a read of this column and the statement that follows. */
export function afterReading(db: Database, column: string, act: () => Promise<void>): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (column in (result.rows[0] ?? {})) await act()
      return result
    },
  }
  return {
    ...db,
    reader: db.reader.withPlugin(plugin),
    transact: (work) => db.transact((tx) => work(tx.withPlugin(plugin) as Tx)),
  }
}
