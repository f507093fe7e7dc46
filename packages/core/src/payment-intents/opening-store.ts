import type { SessionStatus } from '@merchant-payments/contract'
import {
  forEachShape,
  instant,
  type Placing,
  type Reader,
  statement,
  type Writer,
} from '@merchant-payments/db'
import { sql } from 'kysely'
import {
  type Attempts,
  chargesMaxOf,
  isOfPayer,
  OPENINGS_OF_INTENT_MAX,
  PAYER_KEYS_MAX,
} from '../base/attempts.ts'
import { clientStatus } from '../base/client-status.ts'
import { isInState, type Part } from '../base/columns.ts'
import { adoptCopies } from '../customers/erasure/store.ts'
import { byKey, type LockPolicy, lockWait, skipped, skipping } from '../commit/lock-policy.ts'
import { claimKeys, holdRecord, holdFields, retakeKeys } from '../commit/claim-keys.ts'
import { identityOfClaim } from '../commit/key.ts'
import type { SharedWrite, Writes } from '../commit/writes.ts'
import { uuidOf, uuidOrNull } from '../base/ids.ts'
import { isOpenCharge } from '../charges/store.ts'
import type { Intent } from './intent.ts'
import { intentColumnsOf, type IntentRow } from './store.ts'
import { isPlain, type Opening, openingOf, type PlainCharge, type WantedCharge } from './opening.ts'
import { rowsJson } from '../base/rows-json.ts'

export const OPENINGS_MAX = 32

type WantedCharges = readonly PlainCharge[] | readonly [WantedCharge]

/**
 * The first commit of confirms, in one statement. Opens no charge, and claims no key, unless the intent waits for a
 * payment method, offers the rail in its currency, has no customer but the named one, has no invoice that is paid or
 * void, and has attempts left. A session whose secret the payer presents must not have ended. Increments an
 * invoice's revision, so that a change that was planned without the charge is not written.
 *
 * Locks invoices, intents, customers and keys, each in order. No two confirms may have the same key. Unique indexes
 * decide between two with different keys. A confirm that is not plain has a statement of its own.
 *
 * @returns the outcome of each confirm, in order
 */
export function openCharges(writer: Writer, wanted: WantedCharges, ifLocked?: 'wait'): Promise<Opening[]>
export function openCharges(
  writer: Writer,
  wanted: WantedCharges,
  ifLocked: LockPolicy,
): Promise<(Opening | typeof skipped)[]>
export async function openCharges(
  writer: Writer,
  wanted: WantedCharges,
  ifLocked: LockPolicy = 'wait',
): Promise<(Opening | typeof skipped)[]> {
  if (wanted.length > OPENINGS_MAX) throw new RangeError('too many charges in one statement')
  const [first] = wanted
  if (first === undefined) return []
  const nowMs = Math.max(...wanted.map(({ charge }) => charge.openedAtMs))
  const { namedCustomer, session } = first.charge
  const { released } = first.hold
  const rows = wanted.map(recordOf).sort(byIntent)
  const run = statementOf({
    ifLocked,
    hasSession: session !== null,
    namesCustomer: namedCustomer !== null,
    isAgain: released !== null,
    countsKeys: rows.some((row) => row.keys_max !== null),
  })
  const opened = await run(writer, {
    rows: rowsJson(rows),
    now: instant(nowMs),
    session: session && uuidOf(session),
    customer: namedCustomer && uuidOf(namedCustomer),
    released,
  })
  const found = new Map(opened.map((row) => [row.wanted, row]))
  return wanted.map((one, n) => (found.get(n)?.held === true ? skipped : openingOf(one, found.get(n))))
}

interface Shape {
  readonly ifLocked: LockPolicy
  readonly hasSession: boolean
  readonly namesCustomer: boolean
  readonly isAgain: boolean
  readonly countsKeys: boolean
}

interface Values {
  readonly rows: string
  readonly now: string
  readonly session: string | null
  readonly customer: string | null
  readonly released: number | null
}

const statementOf = forEachShape((shape: Shape) =>
  statement<Values, OpeningRow>((value) => opening(shape, value)),
)

function opening(
  { ifLocked, hasSession, namesCustomer, isAgain, countsKeys }: Shape,
  value: Placing<Values>,
) {
  const skip = skipping(ifLocked)
  const now = value('now')
  return sql<OpeningRow>`
    with t as materialized (
      select t.*, client.open as client_open
      from json_to_recordset(${value('rows')}::json) as t (${sql.raw(columns)})
      cross join lateral (${clientStatus(sql<string>`t.merchant`)}) client${lockWait(ifLocked)}
    ),
    locked_invoices as materialized (${lockInvoices(skip)}),
    i as materialized (${lockIntents(skip)}),
    payers as materialized (${lockPayers(skip)}),
    ${ifLocked === 'wait' ? sql`` : findHeldKeys}
    ${hasSession ? lockSession(value('session'), now) : sql``}
    eligible as materialized (
      select i.*, coalesce(i.customer_id, i.named) as payer_id, a.attempt
      from i cross join lateral (${countAttempts}) a ${hasSession ? sql`, session` : sql``}
      where a.reached < i.charges_max and a.attempt <= ${sql.lit(OPENINGS_OF_INTENT_MAX)}${countsKeys ? sql` and ${hasRoomForKey(now)}` : sql``}
        and i.status = 'requires_payment_method' and i.rail = any (i.payment_method_types)
        and i.currency = i.settlement_currency
        and (i.customer_id is null or i.named is null or i.customer_id = i.named)
        and (coalesce(i.customer_id, i.named) is null
          or (i.merchant_id, coalesce(i.customer_id, i.named)) in (select * from payers))
        and (i.invoice_id is null
          or (i.merchant_id, i.invoice_id) in (select merchant_id, id from locked_invoices where status in ('open', 'uncollectible')))
        ${ifLocked === 'wait' ? sql`` : sql`and i.n not in (select n from held_keys)`}
    ),
    k as (${isAgain ? retakeKeys(value('released'), keysOfEligible) : claimKeys({ ...keysOfEligible, now })}),
    c as (${insertCharges}),
    jobs as (${insertJobs}),
    u as (${clearRefusals}),
    stamped as (${stampPayers(now)}),
    billed as (${moveInvoices})${hasSession ? holdSession : sql``}${
      namesCustomer ? adoptCopies(value('customer')) : sql``
    }
    select t.n as wanted, t.client_open, k.fence, c.id is not null as opened, u.revision as changed_revision,
      ${ifLocked === 'wait' ? sql`false` : mayBeHeld} as held, ${intentColumnsOf('i')}
    from t left join i using (n) left join k on k.resource_id = t.charge_id left join c on c.id = t.charge_id
      left join u on u.id = i.id`
}

/** Must count as `countAttempts` does. */
export async function countCharges(
  reader: Reader,
  { merchantId, id }: Pick<Intent, 'merchantId' | 'id'>,
): Promise<Attempts> {
  return reader
    .selectFrom('charges')
    .select([
      sql<number>`count(*) filter (where ${isOpenCharge('charges')})`.as('live'),
      sql<number>`count(*) filter (where status <> 'abandoned')`.as('reached'),
      sql<number>`greatest(count(*), max(attempt))`.as('opened'),
    ])
    .where('merchant_id', '=', merchantId)
    .where('payment_intent_id', '=', uuidOf(id))
    .executeTakeFirstOrThrow()
}

const columns = `n integer, merchant text, intent uuid, charge_id uuid, reference text, rail text,
  settlement_currency text, payer_msisdn text, named uuid, opened_at timestamptz, submit_deadline timestamptz,
  first_query_at timestamptz, charges_max smallint, keys_max smallint, ${holdRecord}`

const recordOf = ({ claim, intentId, charge, hold }: WantedCharge, n: number) => ({
  n,
  merchant: claim.merchantId,
  intent: uuidOf(intentId),
  ...holdFields(claim, hold.untilMs, charge.openedAtMs),
  charge_id: uuidOf(charge.id),
  reference: charge.reference,
  rail: charge.rail,
  settlement_currency: charge.settlementCurrency,
  payer_msisdn: charge.payer,
  named: uuidOrNull(charge.namedCustomer),
  opened_at: instant(charge.openedAtMs),
  submit_deadline: instant(charge.submitDeadlineMs),
  first_query_at: instant(charge.firstQueryAtMs),
  charges_max: chargesMaxOf(claim.scope),
  // A request that runs again has its key already.
  keys_max: isOfPayer(claim.scope) && hold.released === null ? PAYER_KEYS_MAX : null,
})

type LockKey = Pick<ReturnType<typeof recordOf>, 'merchant' | 'intent'>
const byIntent = byKey(({ merchant, intent }: LockKey) => [merchant, intent])

export type OpeningRow = { [K in keyof IntentRow]: IntentRow[K] | null } & {
  wanted: number
  client_open: boolean
  fence: number | null
  opened: boolean
  held: boolean
  changed_revision: number | null
}

// LATERAL makes PostgreSQL find each row by its key, whatever table sizes the planner expects.
const lockInvoices = (skip: Part) => sql`
  select v.merchant_id, v.id, v.status from (
    select p.merchant_id, p.invoice_id from t cross join lateral (
      select p.merchant_id, p.invoice_id from payment_intents p
      where p.merchant_id = t.merchant and p.id = t.intent and p.invoice_id is not null) p
    order by 1, 2
  ) b cross join lateral (
    select v.merchant_id, v.id, v.status from invoices v
    where v.merchant_id = b.merchant_id and v.id = b.invoice_id for update${skip}) v`

// The aggregate makes PostgreSQL lock every invoice before the first intent.
const lockIntents = (skip: Part) => sql`
  select t.*, ${intentColumnsOf('p')}
  from t cross join (select count(*) from locked_invoices) b cross join lateral (
    select ${intentColumnsOf('p')} from payment_intents p
    where t.client_open and p.merchant_id = t.merchant and p.id = t.intent
      and (p.invoice_id is null or (p.merchant_id, p.invoice_id) in (select merchant_id, id from locked_invoices))
    for update of p${skip}) p`

// Counts in the statement's snapshot. If another transaction has opened a charge since, `charges_attempt` refuses
// this one.
const countAttempts = sql`
  select count(*) filter (where c.status <> 'abandoned') as reached, greatest(count(*), max(c.attempt)) + 1 as attempt
  from charges c where c.merchant_id = i.merchant_id and c.payment_intent_id = i.id`

const hasRoomForKey = (now: Part) => sql`
  case when i.keys_max is null then true else i.keys_max > (
    select count(*) from (
      select from idempotency_keys k
      where k.merchant_id = i.merchant_id and k.scope = i.scope and k.expires_at > ${now}::timestamptz
      limit i.keys_max) kept) end`

const lockPayers = (skip: Part) => sql`
  select c.merchant_id, c.id from (
    select distinct merchant_id, coalesce(customer_id, named) as id from i
    where coalesce(customer_id, named) is not null order by 1, 2
  ) p cross join lateral (
    select c.merchant_id, c.id from customers c
    where c.merchant_id = p.merchant_id and c.id = p.id and c.erased_at is null for no key update${skip}) c`

// An insert waits for a locked row of its key, so such keys are found first.
const findHeldKeys = sql`
    held_keys as materialized (
      select i.n from i
      cross join lateral (
        select from idempotency_keys k where k.merchant_id = i.merchant_id and k.scope = i.scope and k.key = i.key) used
      left join lateral (
        select true as locked from idempotency_keys k
        where k.merchant_id = i.merchant_id and k.scope = i.scope and k.key = i.key
        for update skip locked) mine on true
      where mine.locked is null
    ),`

// Whether a skipped row may be why a charge was not opened. Only the retry finds out, because it waits for the row.
const mayBeHeld = sql`
  case when k.fence is not null or not t.client_open then false
  when i.id is null or i.n in (select n from held_keys) then true
  else coalesce(i.customer_id, i.named) is not null
    and (i.merchant_id, coalesce(i.customer_id, i.named)) not in (select * from payers)
  end`

/** Spec 4.3.6: a confirm that is refused or replayed does not count as a use. */
const stampPayers = (now: Part) => sql`
  update customers p set last_used_at = greatest(p.last_used_at, ${now}::timestamptz)
  from c where p.merchant_id = c.merchant_id and p.id = c.customer_id`

const isOpen = isInState<SessionStatus, 'open'>('s.status', { complete: true, expired: true })

// After the intent, in the order of a settlement.
const lockSession = (id: Part, now: Part) => sql`
  session as materialized (
    select s.merchant_id, s.id as session_id from i cross join lateral (
      select s.merchant_id, s.id from checkout_sessions s
      where s.merchant_id = i.merchant_id and s.id = ${id}::uuid and s.payment_intent_id = i.id
        and ${isOpen} and s.expires_at > ${now}::timestamptz
      for update) s
  ),`

/** `adoptCopies` finds the answer by the charge's time. */
const keysOfEligible = {
  from: sql`eligible c`,
  customer: sql`c.payer_id`,
  resource: sql`c.charge_id`,
}

const insertCharges = sql`
  insert into charges
    (merchant_id, id, payment_intent_id, rail, status, amount, currency, customer_id, payer_msisdn, reference,
     opened_at, submit_deadline, request_id, attempt)
  select e.merchant_id, e.charge_id, e.id, e.rail, 'submitting', e.amount, e.currency, e.payer_id, e.payer_msisdn,
    e.reference, e.opened_at, e.submit_deadline, e.request_id, e.attempt
  from eligible e join k on k.resource_id = e.charge_id
  on conflict do nothing
  returning id, merchant_id, payment_intent_id, customer_id`

const insertJobs = sql`
  insert into charge_jobs (merchant_id, charge_id, rail, due_at)
  select c.merchant_id, c.id, e.rail, e.first_query_at from c join eligible e on e.charge_id = c.id`

const clearRefusals = sql`
  update payment_intents p set
    error_code = null, error_decline_code = null, error_message = null, error_rail = null,
    customer_id = c.customer_id, revision = p.revision + 1
  from c where p.merchant_id = c.merchant_id and p.id = c.payment_intent_id
    and (p.error_code is not null or p.customer_id is distinct from c.customer_id)
  returning p.id, p.revision`

const moveInvoices = sql`
  update invoices v set revision = v.revision + 1
  from eligible e join c on c.id = e.charge_id
  where e.invoice_id is not null and v.merchant_id = e.merchant_id and v.id = e.invoice_id`

// Keeps an expiry that was planned before this charge from being written.
const holdSession = sql`,
  held as (
    update checkout_sessions s set revision = s.revision + 1
    from c, session where s.merchant_id = session.merchant_id and s.id = session.session_id
  )`

const openings: SharedWrite<PlainCharge, Opening> = {
  write: openCharges,
  identitiesOf: ({ intentId, claim }) => [intentId, identityOfClaim(claim)],
  ownerOf: ({ claim }) => claim.merchantId,
  itemsMax: OPENINGS_MAX,
}

export async function openCharge(writes: Writes, writer: Writer, wanted: WantedCharge): Promise<Opening> {
  if (isPlain(wanted)) return writes.together(openings, wanted)
  const [opening] = await writes.alone(wanted.claim.merchantId, () => openCharges(writer, [wanted]))
  if (opening === undefined) throw new Error('a charge was neither opened nor refused')
  return opening
}
