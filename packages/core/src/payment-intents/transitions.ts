import { forEachShape, instant, type Placing, statement, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { QUERY_INTERVAL_MIN_MS } from '../charges/ladder.ts'
import { eventRecord, selectEvents, writeEvents } from '../commit/write-events.ts'
import { byKey, type LockPolicy, lockWait, skipped, skipping } from '../commit/lock-policy.ts'
import type { SharedWrite } from '../commit/writes.ts'
import {
  changeKeys,
  claimReady,
  type HeldKeyEffect,
  keyRecord,
  keyStands,
  lockKey,
} from '../commit/key-effects.ts'
import { raisedPart, raisedRows } from '../commit/write-raised.ts'
import { rowsJson } from '../base/rows-json.ts'
import { jobFields, paidInvoiceRow, payerQuoted, type Transition, transitionRows } from './transition.ts'

export const TRANSITIONS_MAX = 200

/**
 * The only writer of the status of intents and charges, and of paid sessions and invoices. Each transition is
 * written as a whole, or not at all because its invoice, intent, charge or key has changed since it was planned. No
 * two may name one intent, pay one invoice or claim one key.
 *
 * Locks invoices in key order, then intents in theirs, each before its charge and key. The statement has only the
 * parts that its batch needs: PostgreSQL sets up a plan node for each part.
 *
 * @returns for each transition, in order, whether it was written
 */
export async function writeTransitions(
  writer: Writer,
  transitions: readonly Transition[],
  nowMs: number,
  ifLocked: LockPolicy = 'wait',
): Promise<boolean[]> {
  if (transitions.length > TRANSITIONS_MAX) throw new RangeError('too many transitions in one statement')
  const intents = new Set(transitions.map(({ intent }) => intent.id))
  if (intents.size < transitions.length)
    throw new RangeError('two transitions of one intent in one statement')
  const paid = transitions.flatMap(({ invoice }) => invoice?.before.id ?? [])
  if (new Set(paid).size < paid.length)
    throw new RangeError('two transitions that pay one invoice in one statement')
  if (transitions.length === 0) return []
  const batch = transitions.flatMap((transition, n) => transitionRows(transition, n, nowMs)).sort(byIntent)
  const paidInvoices = transitions
    .flatMap(({ invoice }, n) => (invoice ? [paidInvoiceRow(invoice, n, nowMs)] : []))
    .sort(byInvoice)
  const rows = await statementOf(shapeOf(transitions, ifLocked))(writer, {
    batch: rowsJson(batch),
    paidInvoices: rowsJson(paidInvoices),
    raised: JSON.stringify(
      raisedRows(
        transitions.flatMap(({ raised }) => raised ?? []),
        nowMs,
      ),
    ),
    now: instant(nowMs),
  })
  const written = new Set(rows.map(({ n }) => n))
  return transitions.map((_, n) => written.has(n))
}

type LockKey = Pick<ReturnType<typeof transitionRows>[number], 'merchant_id' | 'intent_id'>
const byIntent = byKey((row: LockKey) => [row.merchant_id, row.intent_id])
const byInvoice = byKey((row: ReturnType<typeof paidInvoiceRow>) => [row.merchant_id, row.invoice_id])

type Shape = ReturnType<typeof shapeOf>

function shapeOf(transitions: readonly Transition[], ifLocked: LockPolicy) {
  const fates = transitions.map(({ charge }) => charge && jobFields(charge.before, charge.after).job)
  return {
    ifLocked,
    isSingle: transitions.length === 1,
    charges: transitions.some(({ charge }) => charge !== null),
    holds: transitions.some(({ key }) => key !== null && key.kind !== 'claim'),
    claims: transitions.some(({ key }) => key?.kind === 'claim'),
    moves: transitions.some(({ change }) => change !== null),
    pays: transitions.some(({ change }) => change?.after.status === 'succeeded'),
    events: transitions.some(({ change }) => change !== null && change.event !== null),
    quotes: transitions.some((transition) => payerQuoted(transition) !== null),
    paidInvoices: transitions.some(({ invoice }) => Boolean(invoice)),
    ends: fates.includes('ends'),
    movesJobs: fates.includes('moves'),
    raises: transitions.some(({ raised }) => raised !== undefined && raised.length > 0),
  }
}

interface Values {
  readonly batch: string
  readonly paidInvoices: string
  readonly raised: string
  readonly now: string
}

const statementOf = forEachShape((shape: Shape) =>
  statement<Values, { n: number }>(
    (value) => sql`with ${sql.join(partsOf(shape, value), sql`, `)} select n from ok`,
  ),
)

function partsOf(shape: Shape, value: Placing<Values>): Part[] {
  const {
    ifLocked,
    isSingle,
    charges,
    holds,
    claims,
    moves,
    pays,
    events,
    quotes,
    paidInvoices,
    ends,
    movesJobs,
    raises,
  } = shape
  const now = value('now')
  const eventRows = [
    ...(events ? [eventsOfIntents({ charges, keys: holds || claims })] : []),
    ...(paidInvoices ? [eventsOfInvoices(charges)] : []),
  ]
  const jobs = [
    ...(ends ? [{ name: 'ended_jobs', part: endJobs }] : []),
    ...(movesJobs ? [{ name: 'moved_jobs', part: moveJobs(now) }] : []),
  ]
  const columns = [
    lockRecord,
    ...(quotes ? [payerRecord] : []),
    ...(paidInvoices ? ['pays_invoice boolean'] : []),
    ...(moves ? [intentRecord] : []),
    ...(charges ? [chargeRecord] : []),
    ...(holds || claims ? [keyRecord] : []),
    ...(events ? [eventRecord] : []),
  ]
  const rows = sql`json_to_recordset(${value('batch')}::json) as t (${sql.raw(columns.join(', '))})${lockWait(ifLocked)}`
  return [
    ...(paidInvoices ? [lockInvoices(value('paidInvoices'), ifLocked)] : []),
    lockAll(claims ? sql`ready` : sql`ok`, rows, { paidInvoices, charges, holds, quotes, ifLocked }),
    ...(claims ? claimReady(now) : []),
    ...(charges ? [changeCharges] : []),
    ...jobs.map(({ part }) => part),
    ...(moves ? [changeIntents] : []),
    ...(pays ? [paySessions] : []),
    ...(holds ? [changeKeys] : []),
    ...(paidInvoices ? [payInvoices] : []),
    ...(raises ? [raisedPart(value('raised'), sql`select charge_id from ok`)] : []),
    ...(eventRows.length === 0
      ? []
      : writeEvents({
          select: sql.join(eventRows, sql` union all `),
          single: isSingle && eventRows.length === 1,
          after: [...(pays ? ['paid_sessions'] : []), ...jobs.map(({ name }) => name)],
        })),
  ]
}

const lockRecord = 'n integer, merchant_id text, intent_id uuid, intent_revision integer'
const payerRecord = 'payer uuid, erased boolean'
const intentRecord = `status text, error_code text, error_decline_code text, error_message text, error_rail text,
  redirect_url text, return_url text, canceled_at timestamptz, cancellation_reason text`
const chargeRecord = `charge_id uuid, charge_revision integer, charge_status text, rail_token text,
  callback_secret text, rail_txn_id text, rail_code text, rail_message text, acknowledged_at timestamptz,
  settled_at timestamptz, job text, rail text, due_at timestamptz, rung smallint, last_query_at timestamptz`

// LATERAL makes PostgreSQL find each row by its key, whatever table sizes the planner expects. Each row is found
// from the one before, so that no other order of locks can be planned.
const lockAll = (
  name: Part,
  rows: Part,
  {
    paidInvoices,
    charges,
    holds,
    quotes,
    ifLocked,
  }: Record<'paidInvoices' | 'charges' | 'holds' | 'quotes', boolean> & {
    ifLocked: LockPolicy
  },
): Part => sql`
  ${name} as materialized (
    select t.*${charges ? sql`, c.request_id as charge_request` : sql``} from ${rows}
    ${paidInvoices ? awaitInvoices : sql``}
    cross join lateral (
      select p.merchant_id from payment_intents p
      where p.merchant_id = t.merchant_id and p.id = t.intent_id and p.revision = t.intent_revision
        ${paidInvoices ? sql`and (t.pays_invoice is null or t.n = any (b.held))` : sql``}
      for update${skipping(ifLocked)}) i
    ${charges ? lockCharge(ifLocked) : sql``}
    ${holds ? lockKey(sql`i.merchant_id`, ifLocked) : sql``}
    ${quotes ? lockPayer(ifLocked) : sql``}
    where ${charges ? sql`(t.charge_id is null or c.locked)` : sql`true`}
      and ${holds ? keyStands : sql`true`}
      and ${quotes ? payerDecides(ifLocked) : sql`true`}
  )`

const lockInvoices = (paidInvoices: Part, ifLocked: LockPolicy): Part => sql`
  held_invoices as materialized (
    select b.* from json_to_recordset(${paidInvoices}::json) as b (n integer, merchant_id text, invoice_id uuid,
      invoice_revision integer, status text, intent_id uuid, paid_at timestamptz, ${sql.raw(eventRecord)})${lockWait(ifLocked)}
    cross join lateral (
      select from invoices v
      where v.merchant_id = b.merchant_id and v.id = b.invoice_id and v.revision = b.invoice_revision
      for update${skipping(ifLocked)}) v
  )`

// The aggregate makes PostgreSQL lock every invoice before the first intent.
const awaitInvoices = sql`cross join (select coalesce(array_agg(n), '{}') as held from held_invoices) b`

const lockCharge = (ifLocked: LockPolicy): Part => sql`
  left join lateral (
    select true as locked, c.request_id from charges c
    where c.merchant_id = i.merchant_id and c.id = t.charge_id and c.revision = t.charge_revision
    for update${skipping(ifLocked)}) c on true`

// An erasure locks the same row, so whichever of the two comes second sees the other.
const lockPayer = (ifLocked: LockPolicy): Part => sql`
  left join lateral (
    select u.erased_at is null as lives from customers u
    where u.merchant_id = i.merchant_id and u.id = t.payer
    for key share${skipping(ifLocked)}) u on true`

// If the payer's row was skipped, neither version is written.
const payerDecides = (ifLocked: LockPolicy): Part =>
  ifLocked === 'skip'
    ? sql`(t.payer is null or t.erased = not u.lives)`
    : sql`(t.payer is null or t.erased = (u.lives is not true))`

const changeCharges = sql`
  changed_charges as (
    update charges c set
      status = ok.charge_status, rail_token = ok.rail_token, callback_secret = ok.callback_secret,
      rail_txn_id = ok.rail_txn_id, rail_code = ok.rail_code, rail_message = ok.rail_message,
      acknowledged_at = ok.acknowledged_at, settled_at = ok.settled_at, revision = c.revision + 1
    from ok where ok.charge_id is not null and c.merchant_id = ok.merchant_id and c.id = ok.charge_id
  )`

const endJobs = sql`
  ended_jobs as (
    delete from charge_jobs j using ok
    where ok.job = 'ends' and j.merchant_id = ok.merchant_id and j.charge_id = ok.charge_id
    returning 1
  )`

// A ruling can add a late success to a charge that was no longer queried. Its job is then inserted. A query that a
// callback asked for meanwhile is due as soon as it may be.
const moveJobs = (now: Part): Part => sql`
  moved_jobs as (
    insert into charge_jobs as j (merchant_id, charge_id, rail, due_at, rung, last_query_at)
    select merchant_id, charge_id, rail, due_at, rung, last_query_at from ok where job = 'moves'
    order by merchant_id, charge_id
    on conflict (merchant_id, charge_id) do update set
      due_at = case when j.pulled
        then least(excluded.due_at, greatest(${now}::timestamptz,
          excluded.last_query_at + make_interval(secs => ${sql.lit(QUERY_INTERVAL_MIN_MS / 1000)})))
        else excluded.due_at end,
      rung = excluded.rung, last_query_at = excluded.last_query_at, lease_until = null, pulled = false, failures = 0,
      rested_at = null
    returning 1
  )`

const changeIntents = sql`
  changed_intents as (
    update payment_intents p set
      status = ok.status, error_code = ok.error_code, error_decline_code = ok.error_decline_code,
      error_message = ok.error_message, error_rail = ok.error_rail, redirect_url = ok.redirect_url,
      return_url = ok.return_url, canceled_at = ok.canceled_at, cancellation_reason = ok.cancellation_reason,
      revision = p.revision + 1
    from ok where ok.status is not null and p.merchant_id = ok.merchant_id and p.id = ok.intent_id
  )`

// docs/spec-gaps.md, checkout sessions: a success completes an open session, and marks an expired one as paid.
const paySessions = sql`
  paid_sessions as (
    update checkout_sessions s set
      status = case when s.status = 'open' then 'complete' else s.status end, payment_status = 'paid',
      revision = s.revision + 1
    from ok where ok.status = 'succeeded' and s.merchant_id = ok.merchant_id and s.payment_intent_id = ok.intent_id
    returning 1
  )`

const eventsOfIntents = ({ charges, keys }: { charges: boolean; keys: boolean }): Part =>
  selectEvents(
    sql`ok`,
    sql`coalesce(${keys ? sql`request_id` : sql`null`}, ${charges ? sql`charge_request` : sql`null`})`,
  )

const payInvoices = sql`
  paid_invoices as (
    update invoices v set
      status = b.status, payment_intent_id = b.intent_id, paid_at = b.paid_at, revision = v.revision + 1
    from held_invoices b join ok using (n) where v.merchant_id = b.merchant_id and v.id = b.invoice_id
  )`

const eventsOfInvoices = (charges: boolean): Part =>
  selectEvents(
    sql`(select b.*, ${charges ? sql`ok.charge_request` : sql`null::text`} as cause from held_invoices b join ok using (n)) b`,
    sql`cause`,
  )

interface PlannedTransition {
  /** A key that its request holds already belongs to it alone. */
  readonly transition: Transition & { readonly key: HeldKeyEffect | null }
  readonly nowMs: number
}

/** Fewer than TRANSITIONS_MAX, so that the first answers do not wait long for the last. */
const TRANSITIONS_TOGETHER_MAX = 64

export const transitions: SharedWrite<PlannedTransition, boolean> = {
  write: async (writer, planned, ifLocked) => {
    const nowMs = Math.max(...planned.map((one) => one.nowMs))
    const all = planned.map(({ transition }) => transition)
    const written = await writeTransitions(writer, all, nowMs, ifLocked)
    // With SKIP LOCKED, an unwritten transition lost a race or met a locked row. The retry alone finds out which.
    return ifLocked === 'wait' ? written : written.map((done) => done || skipped)
  },
  identitiesOf: ({ transition }) => [transition.intent.id],
  ownerOf: ({ transition }) => transition.intent.merchantId,
  itemsMax: TRANSITIONS_TOGETHER_MAX,
  neverRefused: true,
}
