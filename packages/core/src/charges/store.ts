import {
  type ChargeTable,
  forEachShape,
  instant,
  type Placing,
  type Reader,
  type Session,
  statement,
  type Writer,
} from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { FailureAlerts, Raised } from '../base/raised.ts'
import { inKeys, inRows, type Keys, keysOf } from '../base/in-rows.ts'
import { type ChargeId, idOf, idOrNull, type MerchantId, type PaymentIntentId, uuidOf } from '../base/ids.ts'
import { andRaised } from '../commit/write-raised.ts'
import type { CallbackReference, RailCode } from '../rails/port.ts'
import type { Reported } from '../rails/reported.ts'
import { claimsByRail, type JobKey } from '../queue/claim-by-rail.ts'
import type { ClaimedRails } from '../queue/floors.ts'
import type { SetAside } from '../queue/read-in-halves.ts'
import { isOfLock } from '../base/refused-statements.ts'
import type { ClaimOrder } from '../queue/claim.ts'
import type { Charge, ChargeFields, Report } from './charge.ts'
import { QUERY_INTERVAL_MIN_MS } from './ladder.ts'
import { openStatuses } from './lifecycle.ts'
import { rowsJson } from '../base/rows-json.ts'

interface ChargeRow extends Omit<Selectable<ChargeTable>, 'payer_msisdn' | 'attempt' | 'statement'> {
  readonly due_at: number | null
  readonly rung: number | null
  readonly last_query_at: number | null
  readonly not_found_count: number | null
  readonly reported_at: number | null
  readonly reported_amount: number | null
  readonly reported_currency: string | null
  readonly report_ruled_at: number | null
}

const reportOf = (row: ChargeRow): Report | null =>
  row.reported_at === null
    ? null
    : {
        amountMinor: row.reported_amount,
        currency: row.reported_currency,
        isRuled: row.report_ruled_at !== null,
      }

function chargeOf(row: ChargeRow): Charge {
  const fields: ChargeFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('ch', row.id),
    intentId: idOf('pi', row.payment_intent_id),
    rail: row.rail as RailCode,
    amountMinor: row.amount,
    currency: row.currency,
    customerId: idOrNull('cus', row.customer_id),
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
    nextQueryAtMs: row.due_at,
    queryRung: row.rung ?? 0,
    lastQueryAtMs: row.last_query_at,
    notFoundCount: row.not_found_count ?? 0,
    report: reportOf(row),
    ruling: row.ruling,
    requestId: row.request_id,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

const charges = (reader: Reader) =>
  reader
    .selectFrom('charges as c')
    .leftJoin('charge_jobs as j', (join) =>
      join.onRef('j.merchant_id', '=', 'c.merchant_id').onRef('j.charge_id', '=', 'c.id'),
    )
    .select([...ledgerColumns, ...jobColumns.map((column) => `j.${column}` as const)])

export async function findCharge(
  reader: Reader,
  merchantId: MerchantId,
  uuid: string,
): Promise<Charge | undefined> {
  const row = await charges(reader)
    .where('c.merchant_id', '=', merchantId)
    .where('c.id', '=', uuid)
    .executeTakeFirst()
  return row === undefined ? undefined : chargeOf(row)
}

/** PostgreSQL takes the partial index `charges_one_live` for this very list alone. */
export const isOpenCharge = (charge: string): RawBuilder<boolean> =>
  sql.raw(`${charge}.status in ('${openStatuses.join("', '")}')`)

export async function findChargeOf(
  reader: Reader,
  intent: { readonly merchantId: MerchantId; readonly id: PaymentIntentId },
  wanted: 'paid' | 'live',
): Promise<Charge | null> {
  const isWanted = {
    paid: sql<boolean>`c.status = 'succeeded'`,
    live: isOpenCharge('c'),
  }
  const row = await charges(reader)
    .where('c.merchant_id', '=', intent.merchantId)
    .where('c.payment_intent_id', '=', uuidOf(intent.id))
    .where(isWanted[wanted])
    .executeTakeFirst()
  return row === undefined ? null : chargeOf(row)
}

const chargesIn = statement((value: Placing<Keys>, reader) =>
  charges(reader).where(inKeys(sql`(c.merchant_id, c.id)`, value)),
)

export async function reloadCharges(reader: Reader, of: readonly Charge[]): Promise<Charge[]> {
  const rows = await chargesIn(
    reader,
    keysOf(of, ({ id }) => id),
  )
  return rows.map(chargeOf)
}

export type ChargeKey = JobKey<ChargeId>

/** @param setAside called for each leased charge that cannot be read. Default: it stays leased */
export async function claimCharges(
  writer: Writer,
  order: ClaimOrder,
  rails: ClaimedRails,
  setAside?: SetAside<ChargeKey>,
): Promise<Charge[]> {
  const rows = await claimRows(writer, order, rails, setAside)
  return rows.map(chargeOf)
}

export interface Reschedule {
  readonly charge: Charge
  readonly nextQueryAtMs: number | null
  readonly queryRung: number
  readonly notFoundCount: number
  /** Null keeps an earlier report. */
  readonly reported: Reported | null
  readonly raised?: readonly Raised[]
}

/**
 * Skips charges whose lease was lost, or whose job another transaction holds. Their alerts are not written either.
 *
 * @returns the skipped ones
 */
export async function rescheduleCharges(
  writer: Writer,
  reschedules: readonly Reschedule[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<readonly Reschedule[]> {
  if (reschedules.length === 0) return []
  const batch = reschedules.map(({ charge, nextQueryAtMs, queryRung, notFoundCount, reported }) => ({
    ...keyOf(charge),
    due_at: nextQueryAtMs === null ? null : instant(nextQueryAtMs),
    rung: queryRung,
    not_found_count: notFoundCount,
    reported_at: reported === null ? null : instant(nowMs),
    reported_amount: reported?.amountMinor ?? null,
    reported_currency: reported?.currency ?? null,
  }))
  const raising = reschedules.filter(({ raised = [] }) => raised.length > 0)
  const alerts = andRaised(
    raising.flatMap(({ raised = [] }) => raised),
    sql`select charge_id from held`,
    nowMs,
  )
  const soonest = sql`${instant(nowMs + QUERY_INTERVAL_MIN_MS)}::timestamptz`
  const parts = sql`t as (
      select t.* from json_to_recordset(${rowsJson(batch)}::json) as t (
        merchant_id text, charge_id uuid, due_at timestamptz, rung smallint, not_found_count smallint,
        reported_at timestamptz, reported_amount bigint, reported_currency text)
    ),
    held as materialized (
      select t.*, j.pulled from t cross join lateral (
        select j.pulled from charge_jobs j
        where j.merchant_id = t.merchant_id and j.charge_id = t.charge_id
          and j.lease_until = ${instant(leaseUntilMs)}::timestamptz
        for update skip locked) j
    ),
    over as (
      delete from charge_jobs j using held
      where held.due_at is null and not held.pulled and j.merchant_id = held.merchant_id and j.charge_id = held.charge_id
    )${alerts}`
  const change = sql`
    update charge_jobs j set
      due_at = case when held.pulled then least(held.due_at, ${soonest}) else held.due_at end,
      rung = held.rung, not_found_count = held.not_found_count, last_query_at = ${instant(nowMs)}::timestamptz,
      lease_until = null, pulled = false, failures = 0,
      reported_at = coalesce(held.reported_at, j.reported_at),
      reported_amount = case when held.reported_at is null then j.reported_amount else held.reported_amount end,
      reported_currency = case when held.reported_at is null then j.reported_currency else held.reported_currency end,
      report_ruled_at = case when held.reported_at is null
        or (held.reported_amount, held.reported_currency) is not distinct from (j.reported_amount, j.reported_currency)
        then j.report_ruled_at end
    from held
    where (held.due_at is not null or held.pulled) and j.merchant_id = held.merchant_id and j.charge_id = held.charge_id`
  const { rows } = await sql<{ charge_id: string }>`
    with ${parts}, changed as (${change}) select charge_id from held`.execute(writer)
  const written = new Set(rows.map(({ charge_id }) => idOf('ch', charge_id)))
  return reschedules.filter(({ charge }) => !written.has(charge.id))
}

const keyOf = ({ merchantId, id }: ChargeKey) => ({ merchant_id: merchantId, charge_id: uuidOf(id) })

/** Consecutive failures after which a charge's job rests. */
const CHARGE_FAILURES_MAX = 10
const FAILURE_BACKOFF_MS = 5_000

/** `skipped`: the lease was lost, so neither the failure nor an alert was written. */
type Failed = 'again' | 'rests' | 'skipped'

/**
 * The wait before the next query doubles with each failure, unless a callback or a ruling has asked for one meanwhile.
 * After the last failure, the job rests. The row counts the failures, because a ruling also begins the count again.
 */
export async function recordChargeFailure(
  writer: Writer,
  charge: ChargeKey,
  leaseUntilMs: number,
  nowMs: number,
  { raised, ifRests }: FailureAlerts,
): Promise<Failed> {
  const { merchant_id, charge_id } = keyOf(charge)
  const now = sql`${instant(nowMs)}::timestamptz`
  const { rows } = await sql<{ rests: boolean }>`
    with failed as (
      update charge_jobs set failures = failures + 1, lease_until = null, pulled = false,
        due_at = ${now} + make_interval(secs => case when pulled then ${QUERY_INTERVAL_MIN_MS / 1_000}
          else ${FAILURE_BACKOFF_MS / 1_000} * power(2, failures) end),
        rested_at = case when failures + 1 >= ${CHARGE_FAILURES_MAX} then ${now} end
      where merchant_id = ${merchant_id} and charge_id = ${charge_id}::uuid
        and lease_until = ${instant(leaseUntilMs)}::timestamptz
      returning charge_id, rested_at is not null as rests
    )${andRaised(raised, sql`select charge_id from failed`, nowMs)}
    ${andRaised([ifRests], sql`select charge_id from failed where rests`, nowMs, 'raised_by_rest')}
    select rests from failed`.execute(writer)
  const [failed] = rows
  if (failed === undefined) return 'skipped'
  return failed.rests ? 'rests' : 'again'
}

/**
 * Makes these charges due again shortly, because another transaction is changing them, or their rail was not asked. A
 * charge that has ended has no job. A job that another transaction holds is skipped, and stays leased until its lease ends.
 *
 * @returns whether a job was skipped
 */
export async function releaseCharges(
  writer: Writer,
  released: readonly Charge[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<boolean> {
  if (released.length === 0) return false
  const isReleased = sql`${inRows(sql`(j.merchant_id, j.charge_id)`, released, ({ id }) => id)}
    and j.lease_until = ${instant(leaseUntilMs)}::timestamptz`
  const { rows } = await sql<{ skipped: boolean }>`
    with held as materialized (
      select j.merchant_id, j.charge_id from charge_jobs j where ${isReleased} for update skip locked
    ),
    changed as (
      update charge_jobs j set lease_until = null, due_at = ${instant(nowMs + QUERY_INTERVAL_MIN_MS)}::timestamptz
      where ${isReleased} and (j.merchant_id, j.charge_id) in (select * from held)
    )
    select (select count(*) from charge_jobs j where ${isReleased}) > (select count(*) from held) as skipped`.execute(
    writer,
  )
  return rows[0]?.skipped ?? false
}

/** Costs one index read, so that a flood of forged callbacks stays cheap. */
export async function isCallbackKnown(
  reader: Reader,
  rail: RailCode,
  { by, value }: CallbackReference,
): Promise<boolean> {
  const found = await reader
    .selectFrom('charges')
    .select(sql`1`.as('known'))
    .where('rail', '=', rail)
    .where(by, '=', value)
    .limit(1)
    .execute()
  return found.length > 0
}

/** Longer than a claim or a settlement holds a job. */
const PULL_LOCK_WAIT_MS = 250

/**
 * Spec 1.6: makes the next query due, but never sooner than the interval after the last one. So forged callbacks
 * cannot make us call the rail more often. One more query follows a query that is under way, or a submit. A watch
 * that has ended begins again, the interval later, because its last query is no longer known. Gives up after
 * PULL_LOCK_WAIT_MS: the worker queries the rail anyway, and callers without credentials must not occupy
 * connections.
 *
 * @param onPulled called with the request that opened a charge whose next query changed
 */
export async function pullForward(
  writer: Writer,
  rail: RailCode,
  { by, value }: CallbackReference,
  nowMs: number,
  onPulled: (requestId: string | null) => void = () => {},
): Promise<void> {
  try {
    const pulled = await pullOnce(writer, by, { rail, found: value, now: instant(nowMs) })
    for (const row of pulled) onPulled(row.request_id)
  } catch (error) {
    if (!isOfLock(error)) throw error
  }
}

/** @throws the database's error if the job stays locked; the caller's transaction cannot go on then */
export async function pullForwardIn(
  { writer }: Session,
  { rail, reference }: { readonly rail: string; readonly reference: string },
  nowMs: number,
): Promise<void> {
  await pullOnce(writer, 'reference', { rail, found: reference, now: instant(nowMs) })
}

async function pullOnce(
  writer: Writer,
  by: CallbackReference['by'],
  values: PullValues,
): Promise<readonly Pulled[]> {
  const pulled = await pull({ by })(writer, values)
  // The statement reads the charge before it waits for the job's lock. If the submit's answer commits in between, the
  // mark is written too late to be seen. The second run reads the new state.
  if (pulled.some(({ submitting }) => submitting)) await pull({ by })(writer, values)
  return pulled
}

interface Pulled {
  readonly request_id: string | null
  readonly submitting: boolean
}

interface PullValues {
  readonly rail: string
  readonly found: string
  readonly now: string
}

const pull = forEachShape(({ by }: Pick<CallbackReference, 'by'>) =>
  statement((value: Placing<PullValues>) => pulling(by, value)),
)

function pulling(by: CallbackReference['by'], value: Placing<PullValues>) {
  const now = sql`${value('now')}::timestamptz`
  const interval = sql`make_interval(secs => ${sql.lit(QUERY_INTERVAL_MIN_MS / 1000)})`
  // A last query in the future was made before the database's clock was set back.
  const soonest = sql`least(greatest(${now}, j.last_query_at + ${interval}), ${now} + ${interval})`
  const isEnded = sql`c.status in ('failed', 'abandoned')`
  // The last query of a watch that has just begun again is unknown.
  const isLate = sql`j.due_at > case when ${isEnded} and j.last_query_at is null then ${now} + ${interval} else ${soonest} end`
  const isLeased = sql`coalesce(j.lease_until > ${now}, false)`
  const underWay = sql`(c.status = 'submitting' or ${isLeased})`
  const isOf = sql`j.merchant_id = c.merchant_id and j.charge_id = c.id`
  // Only a leased job can be deleted meanwhile. For it the insert uses `on conflict`, which waits until that delete
  // has ended.
  return sql<Pulled>`
    with called as materialized (
      select c.merchant_id, c.id, c.rail, c.status, c.request_id
      from charges c cross join (
        select set_config('lock_timeout', '${sql.raw(String(PULL_LOCK_WAIT_MS))}ms', true)) lock_wait
      where c.rail = ${value('rail')} and c.${sql.ref(by)} = ${value('found')}
        and c.status in ('submitting', 'live', 'unconfirmed', 'failed', 'abandoned')
    ),
    pulled as (
      update charge_jobs j set
        pulled = ${underWay}, due_at = case when ${underWay} then j.due_at else ${soonest} end
      from called c
      where ${isOf} and j.rested_at is null
        and case when ${underWay} then not j.pulled else ${isLate} end
      returning c.request_id, c.status = 'submitting' as submitting
    ),
    begun as (
      insert into charge_jobs (merchant_id, charge_id, rail, due_at)
      select c.merchant_id, c.id, c.rail, ${now} + ${interval} from called c
      where ${isEnded}
        and not exists (select from charge_jobs j where ${isOf} and not ${isLeased})
      on conflict (merchant_id, charge_id) do nothing
      returning charge_id
    )
    select request_id, submitting from pulled
    union all select c.request_id, false from begun join called c on c.id = begun.charge_id`
}

const jobColumns = [
  'due_at',
  'rung',
  'last_query_at',
  'not_found_count',
  'reported_at',
  'reported_amount',
  'reported_currency',
  'report_ruled_at',
] as const

const ledgerColumns = [
  'c.merchant_id',
  'c.id',
  'c.payment_intent_id',
  'c.rail',
  'c.status',
  'c.amount',
  'c.currency',
  'c.customer_id',
  'c.reference',
  'c.rail_token',
  'c.callback_secret',
  'c.rail_txn_id',
  'c.rail_code',
  'c.rail_message',
  'c.opened_at',
  'c.submit_deadline',
  'c.acknowledged_at',
  'c.settled_at',
  'c.ruling',
  'c.request_id',
  'c.revision',
] as const

const claimRows = claimsByRail<ChargeRow, ChargeId>({
  jobs: 'charge_jobs',
  key: 'charge_id',
  idOf: (uuid) => idOf('ch', uuid),
  columns: jobColumns,
  ledger: sql`
    select ${sql.join(ledgerColumns.map((column) => sql.ref(column)))} from charges c
    where c.merchant_id = leased.merchant_id and c.id = leased.charge_id limit 1`,
})
