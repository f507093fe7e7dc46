import { LEASE_MS, readDepths } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { createLanes } from '../src/lanes.ts'
import { DELIVERY_LANES, deliverWebhooks } from '../src/passes/deliver-webhooks.ts'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import { clientWith, MERCHANT, movableClock, START_MS, useDatabase, workerDeps } from './harness.ts'

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
  expect(await overdueSec(time.clock())).toEqual({ deliveries: 1_920 })
})

test('the work of a merchant that moves is not late, and is once it has stayed', async () => {
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

test('a lease is as old as the time since its claim, also once it has ended', async () => {
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
