import { mintId, recoverDeliveries, uuidOf } from '@merchant-payments/core'
import { verifyAuditChain } from '@merchant-payments/db'
import { connect } from '@merchant-payments/testing/client'
import { soakOf } from '@merchant-payments/testing/soaks'
import { expect, onTestFinished, test } from 'vitest'
import { runBulk } from '../src/passes/run-bulk-jobs.ts'
import { startSchedule } from '../src/schedule.ts'
import { clientWith, MERCHANT, openTestDatabase, useDatabase, workerDeps } from './harness.ts'
import { answerWith, startReceiver } from './receiver.ts'

const database = useDatabase()
const { query, insertEvent } = database

const { size: DELIVERIES } = soakOf('bulkDeliveries')
/** Deliveries of the job before a new event of the same endpoint: two hundred, and those until the event is fanned out. */
const LIVE_WAIT_MAX = 1_000
const LIVE_EVERY_MS = 100

const registration = {
  id: MERCHANT,
  name: 'Acme',
  scopes: [],
  keyIds: [],
  endpoints: [{ id: 'main', url: 'https://acme.example', secrets: 1 }],
}

const request = {
  staff: { subject: 'omar', name: 'Omar Operator', role: 'operator' },
  reason: 'Their receiver is back.',
  requestId: 'req_1',
  fingerprint: Buffer.from('00', 'hex'),
} as const

const recover = (key: string) =>
  recoverDeliveries({ db: database.db(), clock: Date.now }, [registration], { ...request, key }, MERCHANT, {
    endpoint: 'main',
    fromSec: 1,
    untilSec: null,
  })

/** Deliveries that an endpoint missed yesterday. */
async function insertExhausted(count: number): Promise<void> {
  const startMs = Date.now() - 86_400_000
  const uuids = (prefix: 'evt' | 'wd') =>
    Array.from({ length: count }, (_, n) => uuidOf(mintId(prefix, startMs + n)))
  await query(
    `with w as (select event_id, id, n from unnest($2::uuid[], $3::uuid[]) with ordinality as w (event_id, id, n)),
      e as (
        insert into events (merchant_id, id, type, body, position)
        select $1, event_id, 'payment_intent.succeeded', '{"missed":' || n || '}', n from w)
    insert into deliveries (merchant_id, event_id, endpoint_id, id, status, attempts, created_at, finished_at)
    select $1, event_id, 'main', id, 'exhausted', 8, now() - interval '1 day', now() - interval '1 hour' from w`,
    [MERCHANT, uuids('evt'), uuids('wd')],
  )
}

const jobs = () => query('select status, objects, done, skipped from bulk_jobs order by id')
const counts = () =>
  query('select status, count(*)::integer as n from deliveries group by status order by status')

test(`${DELIVERIES} deliveries are sent again while new events of the same endpoint arrive on time, each with its entry in the chain`, {
  timeout: 300_000,
}, async () => {
  await insertExhausted(DELIVERIES)
  let sentAgain = 0
  const sentBefore = new Map<string, number>()
  const receiver = await startReceiver((response, { body }) => {
    if (body.startsWith('{"missed"')) sentAgain += 1
    else sentBefore.set((JSON.parse(body) as { id: string }).id, sentAgain)
    answerWith(204)(response, { path: '', headers: {}, body })
  })
  const deps = workerDeps(database.db(), { endpoints: [clientWith({ id: 'main', url: receiver.url })] })
  const schedule = startSchedule(deps, { pollIntervalMs: 100, retention: { days: 400, onlyArchived: false } })
  onTestFinished(() => schedule.stop())
  await recover('one')

  const insertedAfter = new Map<string, number>()
  while ((await jobs())[0]?.['status'] === 'running') {
    insertedAfter.set((await insertEvent(Date.now())).id, sentAgain)
    await new Promise((resolve) => setTimeout(resolve, LIVE_EVERY_MS))
  }
  expect(await jobs()).toEqual([{ status: 'finished', objects: DELIVERIES, done: DELIVERIES, skipped: 0 }])
  await receiver.received(DELIVERIES + insertedAfter.size)
  while ((await counts()).length > 1) await new Promise(setImmediate)

  const waits = [...insertedAfter].map(
    ([id, sent]) => (sentBefore.get(id) ?? Number.POSITIVE_INFINITY) - sent,
  )
  expect(waits.length).toBeGreaterThan(10)
  expect(Math.max(...waits)).toBeLessThan(LIVE_WAIT_MAX)
  const bodies = receiver.posts.map(({ body }) => body).filter((body) => body.startsWith('{"missed"'))
  expect(new Set(bodies).size).toBe(DELIVERIES)
  expect(
    await query(`select count(*)::integer as n, count(distinct target)::integer as targets
        from audit_entries where action = 'delivery.replay'`),
  ).toEqual([{ n: DELIVERIES, targets: DELIVERIES }])
  expect(await verifyAuditChain(database.url(), [])).toMatchObject({ intact: true })
})

test.each([
  ['refuses', 'P0001', `raise exception 'poisoned'`],
  ['cannot write in time', '57014', `raise exception 'too slow' using errcode = '57014'`],
])('a delivery that the database %s is left alone, and the others are sent', async (_case, state, raise) => {
  await query('truncate bulk_jobs')
  await insertExhausted(5)
  const [{ id } = { id: '' }] = await query('select id from deliveries order by id offset 2 limit 1')
  await query(
    `create function trouble() returns trigger language plpgsql as $$ begin ${raise}; return new; end $$`,
  )
  await query(`create trigger trouble before update on deliveries for each row
    when (new.id = '${String(id)}') execute function trouble()`)
  onTestFinished(() => query('drop function trouble cascade').then(() => undefined))
  await recover(`poisoned ${state}`)
  await runBulk(workerDeps(database.db()))
  expect(await jobs()).toEqual([{ status: 'finished', objects: 5, done: 4, skipped: 1 }])
  expect(await counts()).toEqual([
    { status: 'exhausted', n: 1 },
    { status: 'pending', n: 4 },
  ])
})

test('a job pauses while two hundred deliveries of its endpoint are due', async () => {
  await query('truncate bulk_jobs')
  await insertExhausted(250)
  await recover('paused')
  const deps = workerDeps(database.db())
  for (let pass = 0; pass < 4; pass += 1) await runBulk(deps)
  expect(await jobs()).toEqual([{ status: 'running', objects: 250, done: 200, skipped: 0 }])
  await query('delete from delivery_jobs')
  await runBulk(deps)
  expect(await jobs()).toEqual([{ status: 'finished', objects: 250, done: 250, skipped: 0 }])
})

test('a job whose objects are all held is put off, and finished once they are free', async () => {
  await insertExhausted(3)
  await recover('held')
  const db = openTestDatabase(database.appUrl(), { lockTimeoutMs: 50 })
  onTestFinished(() => db.close())
  const other = await connect(database.url())
  onTestFinished(() => other.end())
  // As the making of an index does.
  await other.query('begin; lock table deliveries in share mode')
  const running = { status: 'running', objects: 3, done: 0, skipped: 0 }
  expect(await runBulk(workerDeps(db))).toMatchObject({ done: 0, full: false })
  expect((await jobs()).at(-1)).toEqual(running)
  expect(
    await query('select failures, due_at > now() as later from bulk_jobs order by id desc limit 1'),
  ).toEqual([{ failures: 1, later: true }])

  await other.query('rollback')
  await query('update bulk_jobs set due_at = now()')
  await runBulk(workerDeps(db))
  expect((await jobs()).at(-1)).toEqual({ ...running, status: 'finished', done: 3 })
})

test('a job whose only object waits as long as a statement may is put off, and finished later', async () => {
  await query('truncate bulk_jobs')
  await insertExhausted(1)
  await recover('slow')
  // Behind a pooler that sets no lock time-out, a lock of the table ends so.
  await query(`create function wait_in_vain() returns trigger language plpgsql as
    $$ begin raise exception 'too slow' using errcode = '57014'; end $$`)
  await query(`create trigger wait_in_vain before update on deliveries for each row
    execute function wait_in_vain()`)
  const unblock = () => query('drop function if exists wait_in_vain cascade')
  onTestFinished(async () => void (await unblock()))
  await runBulk(workerDeps(database.db()))
  expect(await jobs()).toEqual([{ status: 'running', objects: 1, done: 0, skipped: 0 }])
  await unblock()
  await query('update bulk_jobs set due_at = now()')
  await runBulk(workerDeps(database.db()))
  expect(await jobs()).toEqual([{ status: 'finished', objects: 1, done: 1, skipped: 0 }])
})

test('an object that is held is left alone and counted, wherever it is in the batch', async () => {
  await insertExhausted(5)
  await recover('some held')
  const db = openTestDatabase(database.appUrl(), { lockTimeoutMs: 50 })
  onTestFinished(() => db.close())
  const other = await connect(database.url())
  onTestFinished(() => other.end())
  await other.query(
    'begin; select from deliveries where id in (select id from deliveries order by id limit 2) for update',
  )
  await other.query(
    'select from deliveries where id = (select id from deliveries order by id desc limit 1) for update',
  )
  await runBulk(workerDeps(db))
  expect((await jobs()).at(-1)).toEqual({ status: 'finished', objects: 5, done: 2, skipped: 3 })
  await other.query('rollback')
})

test('a job whose worker died goes on from its last batch once the lease has ended', async () => {
  await query('truncate bulk_jobs')
  await insertExhausted(150)
  await recover('died')
  const deps = workerDeps(database.db())
  await runBulk(deps)
  expect(await jobs()).toEqual([{ status: 'running', objects: 150, done: 100, skipped: 0 }])
  await query(`update bulk_jobs set lease_until = now() + interval '30 seconds'`)
  await runBulk(deps)
  expect(await jobs()).toMatchObject([{ done: 100 }])
  await query(`update bulk_jobs set lease_until = now() - interval '1 second'`)
  await runBulk(deps)
  expect(await jobs()).toEqual([{ status: 'finished', objects: 150, done: 150, skipped: 0 }])
})

test('a job of a merchant that has moved away is finished, and changes nothing', async () => {
  await query('truncate bulk_jobs')
  await insertExhausted(150)
  await recover('left')
  await query(
    `insert into merchant_moves (merchant_id, state, move_id, other_cell)
      values ($1, 'left', gen_random_uuid(), 'cell_b')`,
    [MERCHANT],
  )
  await query(
    `create trigger a_merchant_move before insert or update or delete on deliveries
      for each row execute function refuse_while_moving()`,
  )
  onTestFinished(async () => {
    await query('drop trigger a_merchant_move on deliveries')
    await query('delete from merchant_moves')
  })
  const deps = workerDeps(database.db())
  await runBulk(deps)
  await runBulk(deps)
  expect(await jobs()).toEqual([{ status: 'finished', objects: 150, done: 0, skipped: 150 }])
})
