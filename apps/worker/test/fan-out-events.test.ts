import { FANOUT_FAILURES_MAX, uuidOf } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import { cuttable } from './cuttable.ts'
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
  query('select id, fanout_state as state, fanout_failures as failures from events order by id')
const hex = (uuid: unknown) => String(uuid).replaceAll('-', '')

/** Deliveries and jobs side by side; a job that is missing reads as null. */
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

test('each event becomes one delivery and one job for each endpoint, and is done', async () => {
  const { clock } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const first = await insertEvent(START_MS)
  const second = await insertEvent(START_MS)

  expect(await fanOutEvents(deps)).toEqual({ claimed: 2, done: 2, full: false })

  expect(await deliveries()).toEqual([
    expected(uuidOf(first.id), 'ledger'),
    expected(uuidOf(first.id), 'main'),
    expected(uuidOf(second.id), 'ledger'),
    expected(uuidOf(second.id), 'main'),
  ])
  expect((await states()).map(({ state }) => state)).toEqual(['done', 'done'])
  expect(await fanOutEvents(deps)).toEqual({ claimed: 0, done: 0, full: false })
  expect(deps.faults).toEqual(['fanout.claimed', 'fanout.committed'])
})

test('an event of a merchant without an endpoint goes straight to done', async () => {
  const { clock } = movableClock()
  await insertEvent(START_MS)

  expect(await fanOutEvents(workerDeps(database.db(), { clock }))).toEqual({
    claimed: 1,
    done: 1,
    full: false,
  })

  expect(await deliveries()).toEqual([])
  expect((await states()).map(({ state }) => state)).toEqual(['done'])
})

test('a worker that dies after its claim is replaced within a minute, and no sooner', async () => {
  const { clock, advance } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  await insertEvent(START_MS)
  const dying = {
    ...deps,
    fault: () => {
      throw new Error('killed')
    },
  }
  await expect(fanOutEvents(dying)).rejects.toThrow('killed')

  advance(59_999)
  expect(await fanOutEvents(deps)).toEqual({ claimed: 0, done: 0, full: false })
  advance(1)
  expect(await fanOutEvents(deps)).toEqual({ claimed: 1, done: 1, full: false })
  expect(await deliveries()).toHaveLength(2)
})

test('a replay of an event that was fanned out before makes no second delivery', async () => {
  const { clock } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const { id } = await insertEvent(START_MS)
  await fanOutEvents(deps)
  const before = await deliveries()

  await query("update events set fanout_state = 'pending'")
  expect(await fanOutEvents(deps)).toEqual({ claimed: 1, done: 1, full: false })

  expect(await deliveries()).toEqual(before)
  expect(before).toEqual([expected(uuidOf(id), 'ledger'), expected(uuidOf(id), 'main')])
})

test('an event that cannot be fanned out holds up no other, waits five seconds each time, and fails with one alert', async () => {
  const { clock, advance } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [twoEndpoints] })
  const bad = await insertEvent(START_MS)
  const good = await insertEvent(START_MS)
  await refuseDeliveriesOf(uuidOf(bad.id))

  expect(await fanOutEvents(deps)).toEqual({ claimed: 2, done: 1, full: false })
  expect(await deliveries()).toEqual([expected(uuidOf(good.id), 'ledger'), expected(uuidOf(good.id), 'main')])

  for (let failures = 2; failures <= FANOUT_FAILURES_MAX; failures += 1) {
    expect(deps.alerts).toEqual([])
    advance(4_999)
    expect(await fanOutEvents(deps)).toEqual({ claimed: 0, done: 0, full: false })
    advance(1)
    expect(await fanOutEvents(deps)).toEqual({ claimed: 1, done: 0, full: false })
  }

  expect((await states()).map(({ state, failures }) => [state, failures])).toEqual([
    ['failed', 5],
    ['done', 0],
  ])
  expect(deps.alerts).toEqual([
    { name: 'fanout_failed', facts: { event: bad.id, merchant: MERCHANT, reason: 'P0001' } },
  ])
  advance(60_000)
  expect(await fanOutEvents(deps)).toEqual({ claimed: 0, done: 0, full: false })
})

test('when the database is away the pass says so, and no event is blamed', async () => {
  const { clock } = movableClock()
  const wire = await cuttable(database.url())
  const deps = workerDeps(openTestDatabase(wire.url), { clock, endpoints: [twoEndpoints] })
  await insertEvent(START_MS)

  const pass = fanOutEvents({ ...deps, fault: () => wire.cut() })

  await expect(pass).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect((await states()).map(({ state, failures }) => [state, failures])).toEqual([['pending', 0]])
  expect(deps.alerts).toEqual([])
})

/** A fault that only this event meets. */
async function refuseDeliveriesOf(eventUuid: string): Promise<void> {
  await query(`create or replace function refuse_event() returns trigger language plpgsql as $$
    begin raise exception 'refused'; end $$`)
  await query(`create or replace trigger refuse before insert on deliveries for each row
    when (new.event_id = '${eventUuid}') execute function refuse_event()`)
}
