import { FANOUT_FAILURES_MAX, uuidOf } from '@merchant-payments/core'
import { openProxy } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import {
  clientWith,
  MERCHANT,
  movableClock,
  openTestDatabase,
  START_MS,
  useDatabase,
  workerDeps,
} from './harness.ts'

const database = useDatabase()
const { query, insertEvent } = database

const twoEndpoints = clientWith(
  { id: 'main', url: 'https://shop.example/hooks' },
  { id: 'ledger', url: 'https://ledger.example/hooks' },
)

const states = () =>
  query(`select id, coalesce(fanout_state, 'done') as state, coalesce(failures, 0) as failures
    from events left join fanout_jobs on event_id = id order by id`)
const hex = (uuid: unknown) => String(uuid).replaceAll('-', '')

/** Deliveries with their jobs; a missing job reads as null. */
const deliveries = () =>
  query(`select d.merchant_id, d.event_id, d.endpoint_id, d.status, d.attempts, j.delivery_id = d.id as job
    from deliveries d full join delivery_jobs j on j.delivery_id = d.id order by d.event_id, d.endpoint_id`)

const expected = (eventId: string, endpoint: string) => ({
  merchant_id: MERCHANT,
  event_id: expect.toSatisfy((uuid) => hex(uuid) === eventId) as unknown,
  endpoint_id: endpoint,
  status: 'pending',
  attempts: 0,
  job: true,
})

test('each event gets one delivery and one job for each endpoint, and is done [§3.4, §6.3.1]', async () => {
  const { clock } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const first = await insertEvent(START_MS)
  const second = await insertEvent(START_MS)

  expect(await fanOutEvents(deps)).toEqual({ found: 2, done: 2, full: false })

  expect(await deliveries()).toEqual([
    expected(uuidOf(first.id), 'ledger'),
    expected(uuidOf(first.id), 'main'),
    expected(uuidOf(second.id), 'ledger'),
    expected(uuidOf(second.id), 'main'),
  ])
  expect((await states()).map(({ state }) => state)).toEqual(['done', 'done'])
  expect(await fanOutEvents(deps)).toEqual({ found: 0, done: 0, full: false })
  expect(deps.faults).toEqual(['fanout.claimed', 'fanout.committed'])
})

test('an event of a merchant without an endpoint is done at once', async () => {
  const { clock } = movableClock()
  await insertEvent(START_MS)

  expect(await fanOutEvents(workerDeps(database.db(), { clock }))).toEqual({
    found: 1,
    done: 1,
    full: false,
  })

  expect(await deliveries()).toEqual([])
  expect((await states()).map(({ state }) => state)).toEqual(['done'])
})

test('an event that a worker had found before it died is fanned out by the next pass', async () => {
  const { clock } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  await insertEvent(START_MS)
  const dying = {
    ...deps,
    fault: () => {
      throw new Error('killed')
    },
  }
  await expect(fanOutEvents(dying)).rejects.toThrow('killed')

  expect(await fanOutEvents(deps)).toEqual({ found: 1, done: 1, full: false })
  expect(await deliveries()).toHaveLength(2)
})

test('workers that find the same events make one delivery of each, without waiting for each other', async () => {
  const { clock } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  for (let n = 0; n < 50; n += 1) await insertEvent(START_MS)

  const reports = await Promise.all(Array.from({ length: 6 }, () => fanOutEvents(deps)))

  expect(reports.reduce((sum, { done }) => sum + done, 0)).toBe(50)
  expect(await deliveries()).toHaveLength(100)
})

test('an event whose job another worker holds is left to that worker', async () => {
  const { clock } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const { id } = await insertEvent(START_MS)
  await insertEvent(START_MS)
  await query('begin')
  await query('select from fanout_jobs where event_id = $1 for update', [uuidOf(id)])
  expect(await fanOutEvents(deps)).toEqual({ found: 2, done: 1, full: false })
  await query('rollback')
})

describe('a merchant whom a worker does not know yet', () => {
  const HOUR_MS = 60 * 60_000

  test('has its events from a worker that does, also those that waited for an hour before [§6.3.2]', async () => {
    const { clock, advance } = movableClock()
    const old = workerDeps(database.db(), { clock, endpoints: [] })
    const fresh = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
    await insertEvent(START_MS)
    advance(HOUR_MS + 1)
    expect(await fanOutEvents(old)).toEqual({ found: 1, done: 0, full: false })
    expect(await fanOutEvents(old)).toEqual({ found: 0, done: 0, full: false })
    advance(15_000)
    expect(await fanOutEvents(fresh)).toEqual({ found: 1, done: 1, full: false })
    expect(await deliveries()).toHaveLength(2)
    expect(old.alerts).toEqual([])
  })

  test('and whom none has known for an hour, has a failed fan-out with an alert, which can be retried', async () => {
    const { clock, advance } = movableClock()
    const old = workerDeps(database.db(), { clock, endpoints: [] })
    const fresh = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
    const { id } = await insertEvent(START_MS)
    await fanOutEvents(old)
    advance(HOUR_MS - 1)
    await fanOutEvents(old)
    expect(old.alerts).toEqual([])
    advance(15_000)
    expect(await fanOutEvents(old)).toEqual({ found: 1, done: 0, full: false })
    expect((await states()).map(({ state }) => state)).toEqual(['failed'])
    expect(old.alerts).toEqual([
      { name: 'fanout_failed', facts: { event: id, merchant: MERCHANT, reason: 'merchant_unknown' } },
    ])
    expect(await query('select alert, object, merchant_id from raised_alerts')).toEqual([
      { alert: 'fanout_failed', object: id, merchant_id: MERCHANT },
    ])

    await query('select ops_retry_fanout($1, $2)', [id, new Date(clock())])
    await fanOutEvents(old)
    advance(15_000)
    expect(await fanOutEvents(fresh)).toEqual({ found: 1, done: 1, full: false })
    expect(await deliveries()).toHaveLength(2)
    expect(old.alerts).toHaveLength(1)
  })

  test('has an hour from when a worker that knows it last failed to fan an event out', async () => {
    const { clock, advance } = movableClock()
    const old = workerDeps(database.db(), { clock, endpoints: [] })
    const fresh = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
    const { id } = await insertEvent(START_MS)
    await fanOutEvents(old)
    advance(HOUR_MS)
    await refuseDeliveriesOf(uuidOf(id))
    await fanOutEvents(fresh)
    advance(5_000)
    await fanOutEvents(old)
    expect((await states()).map(({ state, failures }) => [state, failures])).toEqual([['pending', 1]])
    expect(old.alerts).toEqual([])
  })
})

test('fanning out an event again makes no second delivery [§6.3.1]', async () => {
  const { clock } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const { id } = await insertEvent(START_MS)
  await fanOutEvents(deps)
  const before = await deliveries()

  await query(
    `insert into fanout_jobs (event_id, merchant_id, due_at) select id, merchant_id, '2000-01-01' from events`,
  )
  expect(await fanOutEvents(deps)).toEqual({ found: 1, done: 1, full: false })

  expect(await deliveries()).toEqual(before)
  expect(before).toEqual([expected(uuidOf(id), 'ledger'), expected(uuidOf(id), 'main')])
})

test('an event that cannot be fanned out delays no other, is retried after five seconds, and fails with one alert [§3.4, §8]', async () => {
  const { clock, advance } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const bad = await insertEvent(START_MS)
  const good = await insertEvent(START_MS)
  await refuseDeliveriesOf(uuidOf(bad.id))

  expect(await fanOutEvents(deps)).toEqual({ found: 2, done: 1, full: false })
  expect(await deliveries()).toEqual([expected(uuidOf(good.id), 'ledger'), expected(uuidOf(good.id), 'main')])

  for (let failures = 2; failures <= FANOUT_FAILURES_MAX; failures += 1) {
    expect(deps.alerts).toEqual([])
    advance(4_999)
    expect(await fanOutEvents(deps)).toEqual({ found: 0, done: 0, full: false })
    advance(1)
    expect(await fanOutEvents(deps)).toEqual({ found: 1, done: 0, full: false })
  }

  expect((await states()).map(({ state, failures }) => [state, failures])).toEqual([
    ['failed', 5],
    ['done', 0],
  ])
  expect(deps.alerts).toEqual([
    { name: 'fanout_failed', facts: { event: bad.id, merchant: MERCHANT, reason: 'P0001' } },
  ])
  expect(await query('select alert, object, merchant_id from raised_alerts')).toEqual([
    { alert: 'fanout_failed', object: bad.id, merchant_id: MERCHANT },
  ])
  advance(60_000)
  expect(await fanOutEvents(deps)).toEqual({ found: 0, done: 0, full: false })
})

test('if the database is unavailable the pass fails, and no event counts a failure', async () => {
  const { clock } = movableClock()
  const wire = await openProxy(database.appUrl())
  const deps = workerDeps(openTestDatabase(wire.url), { clock, endpoints: [twoEndpoints] })
  await insertEvent(START_MS)

  const pass = fanOutEvents({ ...deps, fault: () => wire.cut() })

  await expect(pass).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect((await states()).map(({ state, failures }) => [state, failures])).toEqual([['pending', 0]])
  expect(deps.alerts).toEqual([])
})

test('while another session locks what events need the pass fails, and no event counts a failure', async () => {
  const { clock, advance } = movableClock()
  const db = openTestDatabase(database.appUrl(), { lockTimeoutMs: 100 })
  onTestFinished(() => db.close())
  const deps = workerDeps(db, { clock, endpoints: [twoEndpoints] })
  await insertEvent(START_MS)
  await insertEvent(START_MS)
  const other = await connect(database.url())
  onTestFinished(() => other.end())
  // As the making of an index does.
  await other.query('begin; lock table deliveries in share mode')

  for (let passes = 0; passes <= FANOUT_FAILURES_MAX; passes += 1) {
    await expect(fanOutEvents(deps)).rejects.toMatchObject({ code: '55P03' })
    advance(4_999)
    expect(await fanOutEvents(deps)).toEqual({ found: 0, done: 0, full: false })
    advance(1)
  }
  expect((await states()).map(({ state, failures }) => [state, failures])).toEqual([
    ['pending', 0],
    ['pending', 0],
  ])
  expect(deps.alerts).toEqual([])

  await other.query('rollback')
  expect(await fanOutEvents(deps)).toEqual({ found: 2, done: 2, full: false })
})

test.each(['57014', '25P04'])('an event that waits until a time-out (%s) counts no failure', async (code) => {
  const { clock, advance } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const { id } = await insertEvent(START_MS)
  // Behind a pooler that sets no lock time-out, a lock of the table ends so. A transaction ends with 25P04.
  await refuseDeliveriesOf(uuidOf(id), code)
  for (let passes = 0; passes <= FANOUT_FAILURES_MAX; passes += 1) {
    await expect(fanOutEvents(deps)).rejects.toMatchObject({ code })
    advance(5_000)
  }
  expect((await states()).map(({ state, failures }) => [state, failures])).toEqual([['pending', 0]])
  await query('drop trigger refuse on deliveries')
  expect(await fanOutEvents(deps)).toEqual({ found: 1, done: 1, full: false })
})

/** Makes PostgreSQL refuse the deliveries of one event. */
async function refuseDeliveriesOf(eventUuid: string, code = 'P0001'): Promise<void> {
  await query(`create or replace function refuse_event() returns trigger language plpgsql as $$
    begin raise exception 'refused' using errcode = '${code}'; end $$`)
  await query(`create or replace trigger refuse before insert on deliveries for each row
    when (new.event_id = '${eventUuid}') execute function refuse_event()`)
}
