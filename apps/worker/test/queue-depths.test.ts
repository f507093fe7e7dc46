import {
  LEASE_MS,
  mintId,
  newWalk,
  readDepths,
  recordRaised,
  sweepKeys,
  uuidOf,
} from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { createLanes } from '../src/lanes.ts'
import { DELIVERY_LANES } from '../src/passes/deliver-webhooks.ts'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import {
  clientWith,
  deliverWebhooks,
  MERCHANT,
  movableClock,
  START_MS,
  useDatabase,
  workerDeps,
} from './harness.ts'

const h = useDatabase()

const MINUTE_MS = 60_000
/** Nothing listens there. */
const endpoints = [clientWith({ id: 'main', url: 'http://127.0.0.1:9/' })]

async function overdueSec(nowMs: number): Promise<Record<string, number>> {
  const late = (await readDepths(h.db().writer, nowMs)).filter(({ overdueMs }) => overdueMs > 0)
  return Object.fromEntries(late.map(({ queue, overdueMs }) => [queue, overdueMs / 1_000]))
}

test('the deliveries of an endpoint that left the configuration are late only until a worker has met them', async () => {
  const time = movableClock()
  await h.insertEvent(START_MS)
  await fanOutEvents(workerDeps(h.db(), { clock: time.clock, endpoints }))
  const without = workerDeps(h.db(), { clock: time.clock, endpoints: [clientWith()] })
  const lanes = createLanes(DELIVERY_LANES)

  time.advance(2 * MINUTE_MS)
  expect(await overdueSec(time.clock())).toEqual({ deliveries: 120 })
  await deliverWebhooks(without, lanes)
  time.advance(30 * MINUTE_MS)
  expect(await overdueSec(time.clock())).toEqual({})
  await h.query('update delivery_jobs set missing_since = null')
  expect(await overdueSec(time.clock())).toEqual({ deliveries: 1_800 })
})

test('deliveries that wait for their rung, or whose endpoint no worker knows, are not counted as due', async () => {
  const time = movableClock()
  await h.insertEvent(START_MS)
  await fanOutEvents(workerDeps(h.db(), { clock: time.clock, endpoints }))
  await h.query('update delivery_jobs set due_at = $1', [new Date(START_MS + MINUTE_MS).toISOString()])
  const waiting = async () => {
    const depths = (await readDepths(h.db().writer, time.clock())).filter((depth) => depth.waiting > 0)
    return Object.fromEntries(depths.map((depth) => [depth.queue, depth.waiting]))
  }
  expect(await waiting()).toEqual({ deliveries: 1 })
  time.advance(MINUTE_MS)
  expect(await waiting()).toEqual({ deliveries: 1, deliveries_due: 1 })
  await h.query('update delivery_jobs set missing_since = due_at')
  expect(await waiting()).toEqual({ deliveries: 1 })
})

test('the work of a merchant counts as late after its move was given up, and not during the move', async () => {
  const time = movableClock()
  const deps = workerDeps(h.db(), { clock: time.clock, endpoints })
  await h.insertEvent(START_MS)
  await fanOutEvents(deps)
  await h.insertEvent(START_MS)
  await h.query('update delivery_jobs set lease_until = $1', [new Date(START_MS).toISOString()])
  await h.query(
    `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ($1, 'frozen', gen_random_uuid(), 'cell_b')`,
    [MERCHANT],
  )
  time.advance(20 * MINUTE_MS)
  expect(await overdueSec(time.clock())).toEqual({})
  const leases = (await readDepths(h.db().writer, time.clock())).filter(
    ({ oldestLeaseMs }) => oldestLeaseMs > 0,
  )
  expect(leases).toEqual([])

  await h.query('delete from merchant_moves')
  expect(await overdueSec(time.clock())).toEqual({ deliveries: 1_200, events_to_fan_out: 1_200 })
})

test('exhausted deliveries of a merchant that has left wait for nobody here', async () => {
  const time = movableClock()
  await h.insertEvent(START_MS)
  await fanOutEvents(workerDeps(h.db(), { clock: time.clock, endpoints }))
  await h.query('delete from delivery_jobs')
  const at = new Date(START_MS).toISOString()
  await h.query(`update deliveries set status = 'exhausted', finished_at = $1`, [at])
  time.advance(2 * MINUTE_MS)
  const exhausted = async () => {
    const depths = await readDepths(h.db().writer, time.clock())
    return depths.find(({ queue }) => queue === 'deliveries_exhausted')
  }
  expect(await exhausted()).toMatchObject({ waiting: 1, overdueMs: 2 * MINUTE_MS })
  await h.query(
    `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ($1, 'left', gen_random_uuid(), 'cell_b')`,
    [MERCHANT],
  )
  expect(await exhausted()).toMatchObject({ waiting: 0, overdueMs: 0 })
  await h.query('delete from merchant_moves')
})

test('the age of a lease counts from its claim, also once it has ended', async () => {
  const time = movableClock()
  await h.insertEvent(START_MS)
  await fanOutEvents(workerDeps(h.db(), { clock: time.clock, endpoints }))
  const oldestSec = async () => {
    const depths = await readDepths(h.db().writer, time.clock())
    return depths.flatMap(({ queue, oldestLeaseMs }) =>
      oldestLeaseMs > 0 ? [`${queue} ${oldestLeaseMs / 1_000}`] : [],
    )
  }
  expect(await oldestSec()).toEqual([])
  await h.query('update delivery_jobs set lease_until = $1', [new Date(START_MS + LEASE_MS).toISOString()])
  time.advance(30_000)
  expect(await oldestSec()).toEqual(['deliveries 30'])
  time.advance(2 * MINUTE_MS)
  expect(await oldestSec()).toEqual(['deliveries 150'])
})

test('an alert counts as overdue until it is an item, not while it rests or its merchant moves', async () => {
  const time = movableClock()
  const alert = mintId('att', START_MS)
  await h.query(
    `insert into raised_alerts (id, merchant_id, alert, object, facts, raised_at)
     values ($1, $2, 'charge_rests', $3, '{}', $4)`,
    [uuidOf(alert), MERCHANT, mintId('ch', START_MS), new Date(START_MS).toISOString()],
  )
  time.advance(2 * MINUTE_MS)
  expect(await overdueSec(time.clock())).toEqual({ alerts_to_record: 120 })

  await h.query(
    `insert into refused_rows (pass, row_key, refused_at, due_at) values ('record-attention', $1, $2, $3)`,
    [uuidOf(alert), new Date(time.clock()).toISOString(), new Date(time.clock() + MINUTE_MS).toISOString()],
  )
  expect(await overdueSec(time.clock())).toEqual({})
  await h.query('delete from refused_rows')

  await h.query(
    `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ($1, 'frozen', gen_random_uuid(), 'cell_b')`,
    [MERCHANT],
  )
  expect(await overdueSec(time.clock())).toEqual({})
  await h.query('delete from merchant_moves')

  await recordRaised(workerDeps(h.db(), { clock: time.clock }))
  expect(await overdueSec(time.clock())).toEqual({})
})

test('a refused row that its sweep does not find again counts for two hours after its rest, and no longer', async () => {
  const time = movableClock()
  const deps = workerDeps(h.db(), { clock: time.clock })
  await h.query(
    `insert into refused_rows (pass, row_key, refused_at, due_at) values ('expire-sessions', 'paid since', $1, $1)`,
    [new Date(START_MS).toISOString()],
  )
  const refused = async () => {
    await sweepKeys(deps, newWalk())
    const depths = await readDepths(h.db().writer, time.clock())
    return depths.find(({ queue }) => queue === 'rows_refused')?.waiting
  }
  time.advance(119 * MINUTE_MS)
  expect(await refused()).toBe(1)
  time.advance(2 * MINUTE_MS)
  expect(await refused()).toBe(0)
})

test('a bulk job is late once it is due and nobody holds its lease', async () => {
  await h.query(
    `insert into bulk_jobs (id, kind, ids, objects, status, reason, actor_subject, actor_name, actor_role, slot,
       request_id, created_at, due_at)
     values (gen_random_uuid(), 'delivery.replay', array[gen_random_uuid()], 1, 'running', 'A test.', 'vera', 'Vera', 'operator', 1,
       'req_1', $1, $1)`,
    [new Date(START_MS).toISOString()],
  )
  const nowMs = START_MS + 5 * MINUTE_MS
  const leaseUntil = (ms: number) =>
    h.query('update bulk_jobs set lease_until = $1', [new Date(ms).toISOString()])
  expect(await overdueSec(nowMs)).toEqual({ bulk_jobs: 300 })
  await leaseUntil(nowMs + 30_000)
  expect(await overdueSec(nowMs)).toEqual({})
  await leaseUntil(nowMs - 60_000)
  expect(await overdueSec(nowMs)).toEqual({ bulk_jobs: 60 })
  await h.query(`update bulk_jobs set status = 'finished', finished_at = $1, lease_until = null`, [
    new Date(nowMs).toISOString(),
  ])
  expect(await overdueSec(nowMs)).toEqual({})
})
