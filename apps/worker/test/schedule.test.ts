import { setTimeout } from 'node:timers/promises'
import { type QueryOutcome, type RailCode, uuidOf } from '@merchant-payments/core'
import { openProxy, type Proxy } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'
import { type Schedule, type ScheduleDeps, startSchedule } from '../src/schedule.ts'
import { clientWith, MERCHANT, openTestDatabase, useDatabase, workerDeps } from './harness.ts'
import { testRail } from './rail.ts'
import { answerWith, startReceiver } from './receiver.ts'

const database = useDatabase()
const { query, insertEvent } = database

const POLL_MS = 20

function start(deps: ScheduleDeps): Schedule {
  const schedule = startSchedule(deps, {
    pollIntervalMs: POLL_MS,
    retention: { days: 400, onlyArchived: false },
  })
  onTestFinished(() => schedule.stop())
  return schedule
}

/** Repeats the query until it returns `expected`. The test's own time limit bounds the wait. */
async function until(text: string, expected: unknown): Promise<void> {
  const found = async () => JSON.stringify(await query(text))
  while ((await found()) !== JSON.stringify(expected)) await new Promise(setImmediate)
}

const insertKeys = (merchant: string, count: number, ageSec: number) =>
  query(
    `insert into idempotency_keys (merchant_id, scope, key, fingerprint, expires_at)
      select $1, 'v1', n::text, '', now() - make_interval(secs => $2 + n) from generate_series(1, $3) n`,
    [merchant, ageSec, count],
  )

const deliveryStates = 'select status, attempts from deliveries order by id'

test('a written event reaches its endpoint', async () => {
  const receiver = await startReceiver(answerWith(200))
  const deps = workerDeps(database.db(), { endpoints: [clientWith({ id: 'main', url: receiver.url })] })
  start(deps)

  const { body } = await insertEvent(Date.now())
  await until(deliveryStates, [{ status: 'succeeded', attempts: 1 }])

  expect(receiver.posts.map((post) => post.body)).toEqual([body])
})

test('a charge that the rail reports as succeeded is settled, and its event reaches the endpoint', async () => {
  const receiver = await startReceiver(answerWith(200))
  const deps = workerDeps(database.db(), {
    endpoints: [clientWith({ id: 'main', url: receiver.url })],
    rails: new Map([[PUSH_RAIL, testRail(PUSH_RAIL, async () => paid)]]),
  })
  await insertLiveCharge()
  start(deps)

  await until(deliveryStates, [{ status: 'succeeded', attempts: 1 }])

  expect(await query('select status from payment_intents')).toEqual([{ status: 'succeeded' }])
  expect(receiver.posts.map((post) => JSON.parse(post.body) as unknown)).toMatchObject([
    { type: 'payment_intent.succeeded', data: { object: { status: 'succeeded', amount: 500 } } },
  ])
})

test('while payers decide, a charge that a callback makes due is settled without a look into the queues', async () => {
  const deps = workerDeps(database.db(), {
    rails: new Map([[PUSH_RAIL, testRail(PUSH_RAIL, async () => paid)]]),
  })
  await insertLiveCharge()
  await query("update charge_jobs set due_at = now() + interval '20 seconds'")
  // The first look is at the start, and the next one after the test's time limit.
  const schedule = startSchedule(deps, {
    pollIntervalMs: 3_600_000,
    retention: { days: 400, onlyArchived: false },
  })
  onTestFinished(() => schedule.stop())
  while (schedule.lastEnds().get('find-due-work') === null) await new Promise(setImmediate)
  expect(await query('select status from charges')).toEqual([{ status: 'live' }])

  await query('update charge_jobs set due_at = now()')
  await until('select status from charges', [{ status: 'succeeded' }])
})

test('after a minute without work the queues are looked into once a second, and often again from the next work on', async () => {
  let aheadMs = 0
  const receiver = await startReceiver(answerWith(200))
  const deps = workerDeps(database.db(), {
    endpoints: [clientWith({ id: 'main', url: receiver.url })],
    clock: () => Date.now() + aheadMs,
  })
  const schedule = start(deps)
  const looked = () => schedule.lastEnds().get('find-due-work') ?? null
  const nextLook = async () => {
    const before = looked()
    while (looked() === before) await setTimeout(1)
  }
  await nextLook()
  aheadMs = 60_000
  // The look that sees the new time ends the last short rest.
  await nextLook()
  const startMs = performance.now()
  await nextLook()
  expect(performance.now() - startMs).toBeGreaterThan(20 * POLL_MS)

  await insertEvent(Date.now())
  await until(deliveryStates, [{ status: 'succeeded', attempts: 1 }])
  // A second apart, they would take longer than the test's time limit.
  for (let looks = 0; looks < 100; looks += 1) await nextLook()
})

test('a stop claims nothing more, waits for the running attempt, and records it', async () => {
  const held: (() => void)[] = []
  const receiver = await startReceiver((response) => {
    held.push(() => response.writeHead(200).end())
  })
  const deps = workerDeps(database.db(), { endpoints: [clientWith({ id: 'main', url: receiver.url })] })
  const schedule = start(deps)
  await insertEvent(Date.now())
  await receiver.received(1)

  let stopped = false
  const stop = schedule.stop().then(() => {
    stopped = true
  })
  const { id } = await insertEvent(Date.now())
  expect(stopped).toBe(false)
  held[0]?.()
  await stop

  expect(await query(deliveryStates)).toEqual([{ status: 'succeeded', attempts: 1 }])
  expect(await query('select event_id = $1 as left from fanout_jobs', [uuidOf(id)])).toEqual([{ left: true }])
  expect(receiver.posts).toHaveLength(1)
  expect(await query('select * from delivery_jobs')).toEqual([])
})

test('a stop waits for a rail that is being queried, and writes its answer', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<QueryOutcome>()
  const rail = testRail(PUSH_RAIL, () => {
    asked.resolve()
    return answer.promise
  })
  await insertLiveCharge()
  const schedule = start(workerDeps(database.db(), { rails: new Map([[PUSH_RAIL, rail]]) }))
  await asked.promise

  const stop = schedule.stop()
  answer.resolve(paid)
  await stop

  expect(await query('select status from charges')).toEqual([{ status: 'succeeded' }])
})

test('many events for one endpoint are sent without waiting for a poll between claims', async () => {
  const receiver = await startReceiver(answerWith(200))
  const deps = workerDeps(database.db(), { endpoints: [clientWith({ id: 'main', url: receiver.url })] })
  for (let n = 0; n < 300; n += 1) await insertEvent(Date.now())
  // A single rest between claims would exceed the test's time limit.
  const schedule = startSchedule(deps, {
    pollIntervalMs: 3_600_000,
    retention: { days: 400, onlyArchived: false },
  })
  onTestFinished(() => schedule.stop())

  await receiver.received(300)
  await until("select count(*)::integer as n from deliveries where status = 'succeeded'", [{ n: 300 }])

  expect(new Set(receiver.posts.map(({ headers }) => headers['service-event-id'])).size).toBe(300)
})

test.each<[string, (proxy: Proxy) => void, (proxy: Proxy) => Promise<void>]>([
  ['is away', (proxy) => proxy.cut(), (proxy) => proxy.mend()],
  ['falls silent', (proxy) => proxy.silence(), () => Promise.resolve()],
])('passes that fail while the database %s continue when it is back', async (_case, lose, mend) => {
  const receiver = await startReceiver(answerWith(200))
  const proxy = await openProxy(database.appUrl())
  const db = openTestDatabase(proxy.url, { queryTimeoutMs: 2_000 })
  onTestFinished(() => db.close())
  start(workerDeps(db, { endpoints: [clientWith({ id: 'main', url: receiver.url })] }))
  const first = await insertEvent(Date.now())
  await until(deliveryStates, [{ status: 'succeeded', attempts: 1 }])

  lose(proxy)
  const second = await insertEvent(Date.now())
  await mend(proxy)
  await receiver.received(2)

  expect(receiver.posts.map((post) => post.body)).toEqual([first.body, second.body])
})

test('results that cannot be recorded count as a failure of their pass', async () => {
  const deps = workerDeps(database.db(), {
    rails: new Map([[PUSH_RAIL, testRail(PUSH_RAIL, async () => paid)]]),
  })
  await insertLiveCharge()
  const fault = (point: string) => {
    if (point === 'settle.rail_answered') throw new TypeError('of the test')
  }
  start({ ...deps, fault })
  await expect
    .poll(() => deps.metrics.render())
    .toContain('worker_pass_failures_total{pass="settle-charges"} 1')
})

test('an alert about an object becomes a row, also if the worker stops at once', async () => {
  const deps = workerDeps(database.db(), {
    rails: new Map([[PUSH_RAIL, testRail(PUSH_RAIL, async () => ({ ...paid, amountMinor: 499 }))]]),
  })
  await insertLiveCharge()
  const schedule = start(deps)
  await until('select not_found_count, reported_amount from charge_jobs', [
    { not_found_count: 0, reported_amount: '499' },
  ])
  await schedule.stop()

  const rows = 'select alert, facts from raised_alerts union all select alert, facts from attention_items'
  expect(await query(rows)).toEqual([
    { alert: 'charge_amount_mismatch', facts: expect.objectContaining({ rail: PUSH_RAIL }) },
  ])
  expect(deps.alerts.map(({ name }) => name)).toEqual(['charge_amount_mismatch'])
})

test('each pass reports when it last succeeded', async () => {
  const schedule = start(workerDeps(database.db()))
  while ([...schedule.lastEnds().values()].includes(null)) await new Promise(setImmediate)

  expect([...schedule.lastEnds().keys()]).toEqual([
    'settle-charges',
    'instruct-refunds',
    'instruct-returns',
    'fan-out-events',
    'deliver-webhooks',
    'run-bulk-jobs',
    'finish-erasures',
    'record-attention',
    'find-due-work',
    'rescue-deliveries',
    'expire-sessions',
    'expire-approvals',
    'check-proofs',
    'remove-old-keys',
    'remove-old-jtis',
    'keep-statistics',
    'make-partitions',
    'drop-partitions',
    'erase-idle-customers',
    'roll-up',
    'collect-payer-numbers',
  ])
  expect(await query('select name from leases order by name')).toEqual([
    { name: 'check-proofs' },
    { name: 'collect-payer-numbers' },
    { name: 'drop-partitions' },
    { name: 'erase-idle-customers' },
    { name: 'expire-approvals' },
    { name: 'expire-sessions' },
    { name: 'keep-statistics' },
    { name: 'make-partitions' },
    { name: 'remove-old-jtis' },
    { name: 'remove-old-keys' },
    { name: 'rescue-deliveries' },
    { name: 'roll-up' },
  ])
})

test('a sweep passes the rows that must wait once in a turn, and reaches those behind', async () => {
  await query('truncate idempotency_keys, leases')
  await insertKeys('gone', 11_000, 3_600)
  await insertKeys(MERCHANT, 3, 0)
  await query(
    `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ('gone', 'left', gen_random_uuid(), 'b')`,
  )
  onTestFinished(async () => void (await query('delete from merchant_moves')))
  const deps = workerDeps(database.db())
  const schedule = start(deps)
  await until(`select count(*)::integer as left from idempotency_keys where merchant_id <> 'gone'`, [
    { left: 0 },
  ])
  await schedule.stop()
  const [, runs] =
    /worker_pass_duration_seconds_count\{pass="remove-old-keys"\} (\d+)/.exec(await deps.metrics.render()) ??
    []
  expect(runs).toBe('3')
})

test('a replica that stops in a sweep gives its turn back, so that another one goes on at once', async () => {
  await insertKeys(MERCHANT, 11_000, 0)
  // It ends after the first step.
  await start(workerDeps(database.db())).stop()
  const left = 'select count(*)::integer as left from idempotency_keys'
  expect(await query(left)).not.toEqual([{ left: 0 }])
  expect(
    await query("select lease_until <= now() as free from leases where name = 'remove-old-keys'"),
  ).toEqual([{ free: true }])
  start(workerDeps(database.db()))
  await until(left, [{ left: 0 }])
})

test('a replica whose sweep fails gives its turn back, so that another one can try', async () => {
  const operator = await connect(database.url())
  onTestFinished(() => operator.end())
  await operator.query('alter table checkout_sessions rename to elsewhere')
  onTestFinished(async () => void (await operator.query('alter table elsewhere rename to checkout_sessions')))
  start(workerDeps(database.db()))
  const turn = `select lease_until <= now() as free from leases where name = 'expire-sessions'`
  await expect.poll(() => query(turn)).toEqual([{ free: true }])
})

test('a turn is short until its sweep ends, so that another replica soon goes on if this one dies', async () => {
  const lasts = `select lease_until > now() + interval '30 minutes' as long from leases where name = 'expire-sessions'`
  const other = await connect(database.url())
  onTestFinished(() => other.end())
  await other.query('begin; lock table checkout_sessions')
  start(workerDeps(database.db()))
  await until(lasts, [{ long: false }])
  await other.query('rollback')
  await until(lasts, [{ long: true }])
  expect(await query(lasts)).toEqual([{ long: true }])
})

const PUSH_RAIL = 'mtn_momo_cm' as RailCode

const paid: QueryOutcome = { kind: 'succeeded', railTxnId: 'T1', amountMinor: 500, currency: 'XAF' }

async function insertLiveCharge(): Promise<void> {
  const intent = uuidOf('pi_019347a0000070008000000000000001' as never)
  const charge = uuidOf('ch_019347a0000070008000000000000002' as never)
  await query(
    `insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
        client_secret, livemode)
      values ($1, $2, 500, 'XAF', 'processing', '{mtn_momo_cm}', '{}', 'secret', false)`,
    [MERCHANT, intent],
  )
  await query(
    `insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, acknowledged_at)
      values ($1, $2, $3, $4, 'live', 500, 'XAF', 'reference-1', now(), now(), now())`,
    [MERCHANT, charge, intent, PUSH_RAIL],
  )
  await query('insert into charge_jobs (merchant_id, charge_id, rail, due_at) values ($1, $2, $3, now())', [
    MERCHANT,
    charge,
    PUSH_RAIL,
  ])
}
