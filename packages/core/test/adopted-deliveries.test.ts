import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { claimDeliveries } from '../src/deliveries/claim-store.ts'
import { fanOut, finishAttempts } from '../src/deliveries/store.ts'
import { findDueFanouts } from '../src/events/store.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { LEASE_MS } from '../src/queue/claim.ts'
import { accepted, declined, exhausted, makeIntent, T0 } from './make.ts'
import { claimOf, confirmation, hold, openWorld, saveCustomer, saveIntent, untilWaiting } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const order = { nowMs: T0 + LEASE_MS, limit: 500, leaseUntilMs: T0 + 2 * LEASE_MS }
const ENDPOINTS = ['hook_c', 'hook_a', 'hook_d', 'hook_b']

/** The deliveries of an anonymous payment that was declined are being attempted. */
async function declineAnonymously() {
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  world.push.whenSubmitted = () => ({ kind: 'declined', decline: declined })
  await confirmIntent(world, claimOf(), intent.id, confirmation())
  world.push.whenSubmitted = () => accepted
  await fanOut(
    world.db.writer,
    await findDueFanouts(world.db.reader, order.nowMs, 500),
    () => ENDPOINTS,
    order.nowMs,
  )
  const jobs = await claimDeliveries(world.db.writer, order, [], { behind: null })
  return { intent, jobs }
}

/** The endpoints whose deliveries no transaction holds. */
async function freeEndpoints(): Promise<string[]> {
  const { rows } = await sql<{ endpoint: string }>`
    select endpoint_id as endpoint from deliveries where status = 'pending'
    order by endpoint_id for update skip locked`.execute(world.owner.writer)
  return rows.map(({ endpoint }) => endpoint)
}

const holdDelivery = (endpoint: string) =>
  hold(world, sql`select 1 from deliveries where status = 'pending' and endpoint_id = ${endpoint} for update`)

beforeEach(async () => {
  await sql`delete from delivery_jobs`.execute(world.owner.writer)
  await sql`update deliveries set status = 'succeeded', finished_at = now() where status = 'pending'`.execute(
    world.owner.writer,
  )
})

test('attempts are recorded in the order of their deliveries’ keys, whatever order they ended in', async () => {
  const { jobs } = await declineAnonymously()
  const attempts = jobs
    .toSorted((a, b) => ENDPOINTS.indexOf(b.endpointId) - ENDPOINTS.indexOf(a.endpointId))
    .map((job) => ({
      job,
      startedAtMs: T0,
      durationMs: 5,
      statusCode: 200,
      error: null,
      responseExcerpt: '',
      result: 'succeeded' as const,
    }))
  const free = await holdDelivery('hook_b')
  const recorded = finishAttempts(world.db.writer, attempts, order.leaseUntilMs, order.nowMs, exhausted)
  await untilWaiting(world)
  expect(await freeEndpoints()).toEqual(['hook_c', 'hook_d'])
  await free()
  expect(await recorded).toHaveLength(ENDPOINTS.length)
})

test('a confirm that names a customer adopts the deliveries of the earlier refusal in the order of their keys', async () => {
  const { intent } = await declineAnonymously()
  const customer = await saveCustomer(world)
  const free = await holdDelivery('hook_b')
  const confirmed = confirmIntent(world, claimOf(), intent.id, { ...confirmation(), customer })
  await untilWaiting(world)
  expect(await freeEndpoints()).toEqual(['hook_c', 'hook_d'])
  await free()
  expect((await confirmed).status).toBe(200)
})
