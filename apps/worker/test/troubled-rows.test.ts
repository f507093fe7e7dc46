import { randomBytes } from 'node:crypto'
import {
  collectPayerNumbers,
  eraseIdleCustomers,
  expireRequests,
  finishErasures,
  type Floors,
  idOf,
  lapseSessions,
  newFloors,
  type QueryOutcome,
  type RailCode,
  type RailRefunds,
  recordRaised,
  rollUp,
  sweepJtis,
  sweepKeys,
} from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import { openProxy } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createLanes, type LaneLimits, type Lanes } from '../src/lanes.ts'
import { lanesOfRails } from '../src/passes/by-rail.ts'
import { DELIVERY_LANES, startDeliveries } from '../src/passes/deliver-webhooks.ts'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import { INSTRUCT_LANES, startInstructing, startReturning } from '../src/passes/instruct-refunds.ts'
import { rescueLostDeliveries } from '../src/passes/rescue-deliveries.ts'
import { runBulk } from '../src/passes/run-bulk-jobs.ts'
import { SETTLE_LANES, startSettling } from '../src/passes/settle-charges.ts'
import { startSchedule } from '../src/schedule.ts'
import { clientWith, MERCHANT, openTestDatabase, useDatabase, workerDeps } from './harness.ts'
import { testRail } from './rail.ts'
import { answerWith, startReceiver } from './receiver.ts'

const database = useDatabase()
const { query, insertEvent } = database

const RAIL = 'mtn_momo_cm' as RailCode
const ROWS = 4

let db: Database
let other: pg.Client
beforeAll(async () => {
  await query('create extension pg_surgery')
  // As main.ts opens it, with a lock time-out that a test can wait for.
  db = openTestDatabase(database.appUrl(), { lockTimeoutMs: 100 })
  other = await connect(database.url())
})
beforeEach(() =>
  query(
    `truncate charge_jobs, refund_jobs, return_jobs, charge_returns, approval_requests, customer_erasures, refused_rows,
      bulk_jobs, intent_rollups, payer_numbers`,
  ),
)
afterEach(async () => {
  await other.query('rollback')
  await query('drop function if exists trouble cascade')
})
afterAll(async () => {
  await other.end()
  await db.close()
})

type Deps = ReturnType<typeof workerDeps> & { readonly floors?: Floors }

type Start = (deps: Deps, lanes: Lanes) => Promise<{ readonly ended: Promise<unknown> }>

type Read = readonly [table: string, column: string, isRow: string]

interface Pass {
  /**
   * Makes rows for the pass to work on.
   *
   * @returns their ids
   */
  readonly make: () => Promise<string[]>
  readonly run: (deps: Deps) => Promise<unknown>
  /** The limits and the start function of a pass that leases its rows. */
  readonly leases?: { readonly limits: LaneLimits; readonly start: Start }
  /** A query for the ids of finished rows. */
  readonly done: string
  /** The statement at which the trouble occurs: the operation, its table, and the column with the row's id. */
  readonly writes: readonly ['insert' | 'update' | 'delete', string, string]
  /** Columns of rows that belong to a row of the pass: the table, the column, and the condition for the row `$1`. */
  readonly reads: readonly Read[]
  /** The row that another session locks. Default: that of `writes`. */
  readonly held?: readonly [string, string]
  /** Reads the column's value for the row `$1`, if that is not the row's id. */
  readonly troubledValue?: string
  /** A statement by which another session holds what the pass needs for a row, if it locks none. */
  readonly hold?: string
  /** A statement that makes a row due again after it was set aside. */
  readonly wake?: string
}

const idsOf = async (statement: string, values: unknown[] = []): Promise<string[]> =>
  (await query(statement, values)).map(({ id }) => String(id))

const intents = (status: string) => `
  insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret,
    livemode, refund_reserved)
  select '${MERCHANT}', gen_random_uuid(), 500, 'XAF', '${status}', '{${RAIL}}', '{}', 'secret', false, 0
  from generate_series(1, ${ROWS}) returning id`

const charges = (intentsOf: string, id: string, status: string) => `
  insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
    submit_deadline, payer_msisdn)
  select '${MERCHANT}', ${id}, id, '${RAIL}', '${status}', 500, 'XAF', gen_random_uuid(), now(), now(), '237670000001'
  from ${intentsOf} returning id, payment_intent_id`

const liveCharges = () =>
  idsOf(`with i as (${intents('processing')}), c as (${charges('i', 'id', 'live')})
    insert into charge_jobs (merchant_id, charge_id, rail, due_at)
    select '${MERCHANT}', id, '${RAIL}', now() from c returning charge_id as id`)

const sentRefunds = () =>
  idsOf(`with i as (
      insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
        client_secret, livemode, refund_reserved)
      select '${MERCHANT}', gen_random_uuid(), 500, 'XAF', 'succeeded', '{${RAIL}}', '{}', 'secret', false, 500
      from generate_series(1, ${ROWS}) returning id
    ),
    c as (${charges('i', 'id', 'succeeded')}),
    r as (
      insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at,
        rail, reference, instruction, destination_msisdn, submit_deadline)
      select '${MERCHANT}', id, id, 'pending', 500, 'XAF', '{}', false, now(), '${RAIL}', gen_random_uuid(), 'sent',
        '237670000001', now() from i returning id
    )
    insert into refund_jobs (merchant_id, refund_id, rail, due_at)
    select '${MERCHANT}', id, '${RAIL}', now() from r returning refund_id as id`)

async function sentReturns(): Promise<string[]> {
  await query(`with i as (${intents('succeeded')}), c as (${charges('i', 'id', 'succeeded')})
    select 1`)
  await query(charges('payment_intents', 'gen_random_uuid()', 'duplicate'))
  return idsOf(`with r as (
      insert into charge_returns (merchant_id, id, charge_id, payment_intent_id, amount, currency, opened_at, rail,
        reference, instruction, destination_msisdn, submit_deadline)
      select '${MERCHANT}', id, id, payment_intent_id, 500, 'XAF', now(), '${RAIL}', gen_random_uuid(), 'sent',
        '237670000001', now() from charges where status = 'duplicate' returning id
    )
    insert into return_jobs (merchant_id, return_id, rail, due_at)
    select '${MERCHANT}', id, '${RAIL}', now() from r returning return_id as id`)
}

async function events(): Promise<string[]> {
  for (let n = 0; n < ROWS; n += 1) await insertEvent(Date.now())
  return idsOf('select id from events')
}

async function deliveries(deps: Deps): Promise<void> {
  await events()
  await fanOutEvents(deps)
}

const idleCustomers = () =>
  idsOf(`insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
    select '${MERCHANT}', gen_random_uuid(), 'Awa', '{}', false, now() - interval '2 years'
    from generate_series(1, ${ROWS}) returning id`)

const begunErasures = () =>
  idsOf(`with c as (
      insert into customers (merchant_id, id, name, email, phone, line1, line2, city, state, postal_code, country,
        metadata, livemode, last_used_at, erased_at)
      select '${MERCHANT}', gen_random_uuid(), r, r, r, r, r, r, r, r, r, '{}', false, now(), now()
      from generate_series(1, ${ROWS}), (values ('[redacted]')) redacted (r) returning id
    )
    insert into customer_erasures (merchant_id, customer_id, begun_at, keeps_row, clearing)
    select '${MERCHANT}', id, now(), true, 'payment_intents' from c returning customer_id as id`)

const RETRY_FAILED = `
  insert into bulk_jobs (id, kind, ids, objects, status, reason, actor_subject, actor_name, actor_role, slot, request_id,
    created_at)
  select gen_random_uuid(), 'fanout.retry', array_agg(event_id order by event_id), count(*), 'running', 'A test.', 'omar',
    'Omar', 'operator', 1 + (select count(*) from bulk_jobs), 'req_1', now()
  from fanout_jobs where fanout_state = 'failed' having count(*) > 0`

/** Fan-outs that a staff member has asked to retry in one job. */
async function failedFanouts(): Promise<string[]> {
  const ids = await events()
  await query(`update fanout_jobs set fanout_state = 'failed', failures = 5`)
  await query(RETRY_FAILED)
  return ids
}

const raisedAlerts = () =>
  idsOf(`insert into raised_alerts (id, merchant_id, alert, object, facts, raised_at)
    select uuidv7(), '${MERCHANT}', 'webhook_exhausted', 'wd_' || replace(uuidv7()::text, '-', ''), '{}', now()
    from generate_series(1, ${ROWS}) returning id`)

/** Merchants of whom one payment is counted, and another one is not yet. */
async function activeMerchants(deps: Deps): Promise<string[]> {
  const pay = `
    insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret,
      livemode, refund_reserved)
    select 'merchant-' || n, uuidv7(), 500, 'XAF', 'requires_payment_method', '{${RAIL}}', '{}', 'secret', false, 0
    from generate_series(1, ${ROWS}) n returning merchant_id as id`
  await query(pay)
  await rollUp(deps)
  return idsOf(pay)
}

const NUMBER_FROM = 237_691_000_000

const newNumbers = async (): Promise<string[]> => {
  await query(
    `update payer_number_walk set position = '00000000-0000-0000-0000-000000000000', checked_to = 0`,
  )
  return idsOf(`with i as (${intents('succeeded')})
    insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
      submit_deadline, payer_msisdn)
    select '${MERCHANT}', uuidv7(interval '-1 hour'), id, '${RAIL}', 'succeeded', 500, 'XAF', gen_random_uuid(), now(),
      now(), ${NUMBER_FROM} + row_number() over () from i returning id`)
}

const ERASURE_PASSES_MAX = 10

/** A pass has five seconds for an erasure. On a busy machine one takes several passes, of which the next is due at once. */
async function finishDue(deps: Deps): Promise<void> {
  for (let passed = 0; passed < ERASURE_PASSES_MAX; passed += 1) {
    const claimed = await finishErasures(deps).then(
      (report) => report.claimed,
      () => 0,
    )
    if (claimed === 0) return
  }
}

const paid: QueryOutcome = { kind: 'succeeded', railTxnId: null, amountMinor: null, currency: null }
const payouts: RailRefunds = {
  dedupes: true,
  submitRefund: () => expect.unreachable('the rail already has it'),
  queryRefund: () => Promise.resolve({ kind: 'pending' }),
}
const rails = new Map([[RAIL, testRail(RAIL, () => Promise.resolve(paid), payouts)]])

/** The work fails if a row cannot be written. The failure is reported, and the other rows are written anyway. */
const leasing = (limits: LaneLimits, start: Start): Pick<Pass, 'run' | 'leases'> => ({
  run: async (deps) => (await start(deps, createLanes(limits))).ended.catch(() => undefined),
  leases: { limits, start },
})

/**
 * A second in the past: the worker's clock has milliseconds, so a row that is due now may not be due for it
 * yet.
 */
const wakeUp = (table: string, ...cleared: string[]) =>
  `update ${table} set due_at = now() - interval '1 second' ${cleared.map((column) => `, ${column} = null`).join('')}`

const passes: Record<string, Pass> = {
  'settle-charges': {
    make: liveCharges,
    ...leasing(lanesOfRails(SETTLE_LANES, rails), startSettling),
    done: `select id from charges where status = 'succeeded'`,
    writes: ['update', 'charges', 'id'],
    reads: [
      ['payment_intents', 'metadata', 'id = $1'],
      ['charges', 'rail_message', 'id = $1'],
    ],
    wake: wakeUp('charge_jobs', 'lease_until', 'rested_at'),
  },
  'instruct-refunds': {
    make: sentRefunds,
    ...leasing(lanesOfRails(INSTRUCT_LANES, rails), startInstructing),
    done: `select id from refunds where instruction = 'accepted'`,
    writes: ['update', 'refunds', 'id'],
    reads: [['refunds', 'metadata', 'id = $1']],
    wake: wakeUp('refund_jobs', 'lease_until', 'rested_at'),
  },
  'instruct-returns': {
    make: sentReturns,
    ...leasing(lanesOfRails(INSTRUCT_LANES, rails), startReturning),
    done: `select id from charge_returns where instruction = 'accepted'`,
    writes: ['update', 'charge_returns', 'id'],
    reads: [['charge_returns', 'rail_message', 'id = $1']],
    wake: wakeUp('return_jobs', 'lease_until', 'rested_at'),
  },
  'fan-out-events': {
    make: events,
    run: fanOutEvents,
    done: 'select event_id as id from deliveries',
    writes: ['insert', 'deliveries', 'event_id'],
    reads: [['events', 'body', 'id = $1']],
    held: ['fanout_jobs', 'event_id'],
    wake: wakeUp('fanout_jobs'),
  },
  'deliver-webhooks': {
    make: async () => {
      const endpoints = [clientWith({ id: 'main', url: 'https://shop.example/hooks' })]
      await deliveries(workerDeps(db, { endpoints }))
      return idsOf('select id from deliveries')
    },
    ...leasing(DELIVERY_LANES, startDeliveries),
    done: `select id from deliveries where status = 'succeeded'`,
    writes: ['update', 'deliveries', 'id'],
    reads: [['events', 'body', 'id = (select event_id from deliveries where id = $1)']],
    wake: wakeUp('delivery_jobs', 'lease_until'),
  },
  'rescue-deliveries': {
    make: async () => {
      const endpoints = [clientWith({ id: 'main', url: 'https://shop.example/hooks' })]
      await deliveries(workerDeps(db, { endpoints }))
      await query('delete from delivery_jobs')
      return idsOf('select id from deliveries')
    },
    run: rescueLostDeliveries,
    done: 'select delivery_id as id from delivery_jobs',
    writes: ['insert', 'delivery_jobs', 'delivery_id'],
    reads: [['events', 'body', 'id = (select event_id from deliveries where id = $1)']],
    held: ['deliveries', 'id'],
    wake: wakeUp('refused_rows'),
  },
  'expire-sessions': {
    make: () =>
      idsOf(`with i as (${intents('requires_payment_method')})
        insert into checkout_sessions (merchant_id, id, payment_intent_id, status, client_secret, ui_mode, metadata,
          livemode, expires_at)
        select '${MERCHANT}', id, id, 'open', 'secret', 'embedded', '{}', false, now() - interval '1 hour' from i
        returning id`),
    run: lapseSessions,
    done: `select id from checkout_sessions where status = 'expired'`,
    writes: ['update', 'checkout_sessions', 'id'],
    reads: [['checkout_sessions', 'metadata', 'id = $1']],
    wake: wakeUp('refused_rows'),
  },
  'expire-approvals': {
    make: () =>
      idsOf(`with i as (${intents('requires_payment_method')})
        insert into approval_requests (id, merchant_id, kind, target, payment_intent_id, amount, currency, seen, reason,
          status, requested_by, requested_name, requested_at, expires_at, request_id)
        select id, '${MERCHANT}', 'charge.resolve', 'ch_' || id, id, 500, 'XAF', '{}', 'A test.', 'pending', 'omar',
          'Omar', now() - interval '2 days', now() - interval '1 day', 'req_1' from i
        returning id`),
    run: expireRequests,
    done: `select id from approval_requests where status = 'expired'`,
    writes: ['update', 'approval_requests', 'id'],
    reads: [['approval_requests', 'seen', 'id = $1']],
    wake: wakeUp('refused_rows'),
  },
  'remove-old-keys': {
    make: () =>
      idsOf(`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
        select '${MERCHANT}', 'v1', 'key-' || n, '', 200, '{}', now() - interval '1 hour'
        from generate_series(1, ${ROWS}) n returning key as id`),
    run: sweepKeys,
    done: `select 'key-' || n as id from generate_series(1, ${ROWS}) n
      where 'key-' || n not in (select key from idempotency_keys)`,
    writes: ['delete', 'idempotency_keys', 'key'],
    reads: [['idempotency_keys', 'body', 'key = $1']],
    wake: wakeUp('refused_rows'),
  },
  'remove-old-jtis': {
    make: () =>
      idsOf(`insert into spent_jtis (jti, expires_at)
        select ('00000000-0000-4000-8000-00000000000' || n)::uuid, now() - interval '1 day'
        from generate_series(1, ${ROWS}) n returning jti as id`),
    run: sweepJtis,
    done: `select id from (
        select ('00000000-0000-4000-8000-00000000000' || n)::uuid as id from generate_series(1, ${ROWS}) n) n
      where id not in (select jti from spent_jtis)`,
    writes: ['delete', 'spent_jtis', 'jti'],
    reads: [],
    wake: wakeUp('refused_rows'),
  },
  'erase-idle-customers': {
    make: idleCustomers,
    run: eraseIdleCustomers,
    // A customer whom nothing names is removed.
    done: `select substr(data, 5) as id from (
        select (body::jsonb)->'data'->'object'->>'id' as data from events where type = 'customer.deleted') e`,
    writes: ['update', 'customers', 'id'],
    reads: [['customers', 'metadata', 'id = $1']],
    wake: `with r as (${wakeUp('refused_rows')}) ${wakeUp('customer_erasures', 'lease_until')}`,
  },
  'run-bulk-jobs': {
    make: failedFanouts,
    run: runBulk,
    done: `select event_id as id from fanout_jobs where fanout_state = 'pending'`,
    writes: ['update', 'fanout_jobs', 'event_id'],
    reads: [['events', 'body', 'id = $1']],
    // What a job left alone can be chosen again.
    wake: RETRY_FAILED,
  },
  'record-attention': {
    make: raisedAlerts,
    run: recordRaised,
    done: 'select id from attention_items',
    writes: ['insert', 'attention_items', 'id'],
    reads: [['raised_alerts', 'facts', 'id = $1']],
    held: ['raised_alerts', 'id'],
    wake: wakeUp('refused_rows'),
  },
  'roll-up': {
    make: () => activeMerchants(workerDeps(db)),
    run: rollUp,
    done: `select merchant_id as id from intent_rollups where size_min = 5 and merchant_id like 'merchant-%'
      group by merchant_id having sum(created) = 2`,
    writes: ['insert', 'intent_rollups', 'merchant_id'],
    reads: [
      [
        'payment_intents',
        'metadata',
        'id = (select max(id::text)::uuid from payment_intents where merchant_id = $1)',
      ],
    ],
    wake: wakeUp('refused_rows'),
  },
  'collect-payer-numbers': {
    make: newNumbers,
    run: collectPayerNumbers,
    done: `select c.id from charges c join payer_numbers n on n.msisdn = c.payer_msisdn`,
    writes: ['insert', 'payer_numbers', 'msisdn'],
    reads: [['charges', 'rail_message', 'id = $1']],
    troubledValue: 'select payer_msisdn as id from charges where id::text = $1',
    hold: 'insert into payer_numbers (msisdn) select payer_msisdn from charges where id::text = $1',
    wake: `update payer_number_walk set position = '00000000-0000-0000-0000-000000000000'`,
  },
  'finish-erasures': {
    make: begunErasures,
    run: finishDue,
    done: `select id from customers where id not in (select customer_id from customer_erasures)`,
    writes: ['delete', 'customer_erasures', 'customer_id'],
    reads: [['customers', 'metadata', 'id = $1']],
    wake: wakeUp('customer_erasures', 'lease_until'),
  },
}

/** Makes PostgreSQL refuse writes of one row: a deadlock only the first time, other troubles every time. */
async function trouble(
  { writes: [operation, table, key], troubledValue }: Pass,
  id: string,
  kind: 'poison' | 'deadlock' | 'timeout',
) {
  const row = operation === 'delete' ? 'old' : 'new'
  const [value] = troubledValue === undefined ? [id] : await idsOf(troubledValue, [id])
  await query('create sequence if not exists troubles')
  await query('alter sequence troubles restart')
  const raise = {
    poison: `raise exception 'poisoned'`,
    timeout: `raise exception 'statement timeout' using errcode = '57014'`,
    deadlock: `if nextval('troubles') = 1 then raise exception 'deadlock' using errcode = '40P01'; end if`,
  }[kind]
  await query(`create function trouble() returns trigger language plpgsql as $$
    begin ${raise}; return ${row}; end $$`)
  await query(`create trigger trouble before ${operation} on ${table} for each row
    when (${row}.${key}::text = '${value}') execute function trouble()`)
}

/** Writes a column of a row without its triggers. @returns the row's table or partition */
async function overwrite([table, column, isRow]: Read, id: string, value: unknown): Promise<unknown> {
  await query('set session_replication_role = replica')
  const change = `update ${table} set ${column} = $2 where ${isRow} returning tableoid::regclass::text as part`
  const [row] = await query(change, [id, JSON.stringify(value)])
  await query('reset session_replication_role')
  return row?.part
}

/** Loses a value that PostgreSQL keeps outside of its row, as a bad sector does. */
async function loseValue(read: Read, id: string): Promise<void> {
  const [table, column, isRow] = read
  const tooLong = Array.from({ length: 30 }, () => randomBytes(300).toString('base64'))
  const part = await overwrite(read, id, Object.fromEntries(tooLong.entries()))
  const [kept] = await query(
    `select reltoastrelid::regclass::text as outside from pg_class where oid = $1::regclass`,
    [part],
  )
  const outside = String(kept?.outside)
  await query(`select heap_force_kill($1::regclass, array_agg(ctid)) from ${outside}`, [outside])
  await expect(query(`select ${column}::text from ${table} where ${isRow}`, [id])).rejects.toMatchObject({
    code: 'XX001',
  })
}

const hold = async (
  { writes: [, table, key], held: [heldTable, heldKey] = [table, key], hold: statement }: Pass,
  ids: readonly string[],
) => {
  await other.query('begin')
  for (const id of ids) {
    await other.query(statement ?? `select from ${heldTable} where ${heldKey}::text = $1 for update`, [id])
  }
}

/** Ids without hyphens, so that wire ids and database ids compare. */
const plain = (ids: readonly string[]) => ids.map((id) => id.replaceAll('-', '')).toSorted()

describe.each(Object.entries(passes))('%s', (_, pass) => {
  async function setUp() {
    const receiver = await startReceiver(answerWith(204))
    const deps = workerDeps(db, { rails, endpoints: [clientWith({ id: 'main', url: receiver.url })] })
    const ids = await pass.make()
    expect(ids).toHaveLength(ROWS)
    const troubled = ids[1] ?? ''
    const done = async () => plain(await idsOf(pass.done))
    return { deps, ids, troubled, done, all: plain(ids), others: plain(ids.filter((id) => id !== troubled)) }
  }

  const runTwice = async (deps: Deps) => {
    await pass.run(deps)
    await pass.run(deps)
  }

  const wake = () => (pass.wake === undefined ? Promise.resolve([]) : query(pass.wake))

  test.each(['poison', 'deadlock'] as const)(
    'a row that meets %s delays no other, and is not lost',
    async (kind) => {
      const { deps, troubled, done, all, others } = await setUp()
      await trouble(pass, troubled, kind)
      await runTwice(deps)
      expect(await done()).toEqual(kind === 'poison' ? others : expect.arrayContaining(others))

      await query('drop function trouble cascade')
      await wake()
      await runTwice(deps)
      expect(await done()).toEqual(all)
    },
  )

  test.each(pass.reads)(
    'a row whose %s.%s PostgreSQL cannot read delays no other, and is not lost',
    async (...read) => {
      const { deps, troubled, done, all, others } = await setUp()
      await loseValue(read, troubled)
      await runTwice(deps)
      expect(await done()).toEqual(expect.arrayContaining(others))

      await overwrite(read, troubled, {})
      await wake()
      await runTwice(deps)
      expect(await done()).toEqual(all)
    },
  )

  test.each([
    ['one row is', [1]],
    ['all rows but one are', [0, 1, 3]],
  ])('if %s locked by another session, the others are done in time, and none is lost', async (_, places) => {
    const { deps, ids, done, all } = await setUp()
    const held = places.map((place) => ids[place] ?? '')
    await hold(pass, held)
    await runTwice(deps)
    expect(await done()).toEqual(expect.arrayContaining(plain(ids.filter((id) => !held.includes(id)))))

    await other.query('rollback')
    await wake()
    await runTwice(deps)
    expect(await done()).toEqual(all)
  })
})

// The last one only inserts alerts, for which it waits for no lock.
const withoutRows = ['find-due-work', 'keep-statistics', 'make-partitions', 'drop-partitions', 'check-proofs']

test('every pass that the worker repeats is one of these, or works on no rows', async () => {
  const schedule = startSchedule(workerDeps(db), {
    pollIntervalMs: 3_600_000,
    retention: { days: 400, onlyArchived: false },
  })
  const names = [...schedule.lastEnds().keys()]
  await schedule.stop()
  expect(names.toSorted()).toEqual([...Object.keys(passes), ...withoutRows].toSorted())
})

const sweeps = [
  'rescue-deliveries',
  'expire-sessions',
  'expire-approvals',
  'remove-old-keys',
  'remove-old-jtis',
  'erase-idle-customers',
] as const

describe.each(sweeps)('%s', (name) => {
  test.each([
    ['poison', 'P0001'],
    ['timeout', '57014'],
  ] as const)(
    'a row that always meets %s rests, twice as long each time, with an alert each time, until it is written',
    async (kind, error) => {
      const pass = passes[name] as Pass
      const alerts: unknown[] = []
      const deps = {
        ...workerDeps(db, { endpoints: [clientWith({ id: 'main', url: 'https://shop.example/hooks' })] }),
        alert: (alert: string) => void alerts.push(alert),
      }
      const ids = await pass.make()
      await trouble(pass, ids[1] ?? '', kind)
      const rests = () =>
        query(`select pass, failures, error, extract(epoch from due_at - refused_at)::integer as seconds
        from refused_rows`)
      const refusal = { pass: name, error }
      await pass.run(deps)
      await pass.run(deps)
      expect(await rests()).toEqual([{ ...refusal, failures: 1, seconds: 60 }])
      expect(alerts).toEqual(['row_refused'])

      await query(wakeUp('refused_rows'))
      await pass.run(deps)
      expect(await rests()).toEqual([{ ...refusal, failures: 2, seconds: 120 }])
      expect(alerts).toHaveLength(2)

      await query('drop function trouble cascade')
      await query(wakeUp('refused_rows'))
      await pass.run(deps)
      expect(await rests()).toEqual([])
    },
  )
})

const leasingPasses = Object.entries(passes).flatMap(([name, { make, done, leases }]) =>
  leases === undefined ? [] : [[name, { make, done, ...leases }] as const],
)

test.each(leasingPasses)(
  '%s: rows whose claim was never answered are done by the next run',
  async (_, pass) => {
    const receiver = await startReceiver(answerWith(204))
    const endpoints = [clientWith({ id: 'main', url: receiver.url })]
    const proxy = await openProxy(database.appUrl())
    const silenced = openTestDatabase(proxy.url, { queryTimeoutMs: 1_000 })
    onTestFinished(() => silenced.close())
    const lanes = createLanes(pass.limits)
    const floors = newFloors()
    const run = () => pass.start({ ...workerDeps(silenced, { rails, endpoints }), floors }, lanes)
    // Opens the connection that the next claim uses, and reads the floors. No row is due yet.
    await (await run()).ended
    const ids = await pass.make()

    proxy.mute()
    await expect(run()).rejects.toMatchObject({ code: 'query_timeout' })
    await (await run()).ended
    expect(plain(await idsOf(pass.done))).toEqual(plain(ids))
  },
)

test.each([
  ['settle-charges', 'charge_jobs', 10, 'charge_rests'],
  ['instruct-refunds', 'refund_jobs', 8, 'refund_rests'],
  ['instruct-returns', 'return_jobs', 8, 'refund_rests'],
  ['deliver-webhooks', 'delivery_jobs', 5, 'delivery_dead_lettered'],
])(
  '%s: a row that PostgreSQL can never read comes to rest, and one alert says why',
  async (name, jobs, failuresMax, alert) => {
    const pass = passes[name] as Pass
    const receiver = await startReceiver(answerWith(204))
    const deps = workerDeps(db, { rails, endpoints: [clientWith({ id: 'main', url: receiver.url })] })
    const [id = ''] = await pass.make()
    await loseValue(pass.reads[0] as Read, id)
    for (let failures = 0; failures < failuresMax; failures += 1) {
      expect(deps.alerts).toEqual([])
      await query(wakeUp(jobs))
      await pass.run(deps)
    }
    const reason = alert === 'delivery_dead_lettered' ? 'reason' : 'error'
    expect(deps.alerts).toEqual([{ name: alert, facts: expect.objectContaining({ [reason]: 'XX001' }) }])

    await query(wakeUp(jobs))
    await pass.run(deps)
    expect(deps.alerts).toHaveLength(1)
  },
)

test('expire-sessions: a row that PostgreSQL cannot read rests, with an alert', async () => {
  const pass = passes['expire-sessions'] as Pass
  const deps = workerDeps(db)
  const [id = ''] = await pass.make()
  await loseValue(pass.reads[0] as Read, id)
  await pass.run(deps)
  await pass.run(deps)
  const facts = { pass: 'expire-sessions', row: idOf('cs', id), error: 'XX001' }
  expect(deps.alerts).toEqual([{ name: 'row_refused', facts }])
  expect(await query('select pass, error, failures from refused_rows')).toEqual([
    { pass: 'expire-sessions', error: 'XX001', failures: 1 },
  ])
})

test('a bulk job that PostgreSQL cannot read delays no other, and is not lost', async () => {
  const all = plain(await failedFanouts())
  const [job] = await idsOf('select id from bulk_jobs')
  await query(RETRY_FAILED)
  const actor = ['bulk_jobs', 'actor_name', 'id = $1'] as const
  await loseValue(actor, job ?? '')
  const deps = workerDeps(db)
  await runBulk(deps)
  expect(plain(await idsOf((passes['run-bulk-jobs'] as Pass).done))).toEqual(all)
  expect(await query('select failures from bulk_jobs where lease_until is null and id = $1', [job])).toEqual([
    { failures: 1 },
  ])

  await overwrite(actor, job ?? '', 'Omar')
  await query(wakeUp('bulk_jobs'))
  await runBulk(deps)
  expect(await query(`select from bulk_jobs where status = 'finished'`)).toHaveLength(2)
})

describe('a job that another session locks while its rail or endpoint is asked delays no other, and is not lost', () => {
  const pending: QueryOutcome = { kind: 'pending' }
  const jobs: [string, keyof typeof passes, string, QueryOutcome, string?][] = [
    ['settle-charges, whose rail says paid', 'settle-charges', 'charge_jobs.charge_id', paid],
    [
      'settle-charges, whose rail says pending',
      'settle-charges',
      'charge_jobs.charge_id',
      pending,
      'select charge_id as id from charge_jobs where lease_until is null',
    ],
    ['instruct-refunds', 'instruct-refunds', 'refund_jobs.refund_id', pending],
    ['instruct-returns', 'instruct-returns', 'return_jobs.return_id', pending],
    ['deliver-webhooks', 'deliver-webhooks', 'delivery_jobs.delivery_id', pending],
  ]

  test.each(jobs)('%s', async (_, name, place, outcome, freed) => {
    const [table = '', key = ''] = place.split('.')
    const pass = passes[name] as Pass
    let hold: Promise<unknown> | null = null
    let troubled = ''
    const held = () =>
      (hold ??= other
        .query('begin')
        .then(() => other.query(`select from ${table} where ${key}::text = $1 for update`, [troubled])))
    const receiver = await startReceiver((response) => void held().then(() => response.end()))
    const answered = async () => {
      await held()
      return outcome
    }
    const deps = workerDeps(db, {
      rails: new Map([[RAIL, testRail(RAIL, answered, { ...payouts, queryRefund: answered })]]),
      endpoints: [clientWith({ id: 'main', url: receiver.url })],
    })
    const ids = await pass.make()
    troubled = ids[1] ?? ''
    const others = plain(ids.filter((id) => id !== troubled))

    await pass.run(deps)
    expect(plain(await idsOf(freed ?? pass.done))).toEqual(others)

    await other.query('rollback')
    await query(pass.wake ?? '')
    await pass.run(deps)
    expect(plain(await idsOf(freed ?? pass.done))).toEqual(plain(ids))
  })
})
