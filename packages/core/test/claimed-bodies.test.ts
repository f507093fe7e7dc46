import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { BODY_PLACE_BYTES, claimDeliveries } from '../src/deliveries/claim-store.ts'
import { type ClaimOrder, LEASE_MS } from '../src/queue/claim.ts'
import { T0 } from './make.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())
beforeEach(() => sql`truncate events, deliveries, delivery_jobs cascade`.execute(world.owner.writer))

const order = (limit: number): ClaimOrder => ({ nowMs: T0, limit, leaseUntilMs: T0 + LEASE_MS })
const claim = (limit: number) => claimDeliveries(world.db.writer, order(limit), [], { behind: null })

/** Events of a merchant on their way to its endpoint, due longest first. The letter has two bytes. */
async function insertDue(merchant: string, dueAtMs: number, count: number, bytes: number): Promise<void> {
  await sql`with e as (
      insert into events (merchant_id, id, type, body, position)
      select ${merchant}, uuidv7(), 'invoice.paid', repeat('é', ${bytes / 2}::integer), n
      from generate_series(1, ${count}::integer) n returning id
    ),
    d as (
      insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
      select ${merchant}, id, 'hook', id, 'pending', now() from e
    )
    insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
    select id, ${merchant}, id, 'hook', ${instant(dueAtMs)}::timestamptz from e`.execute(world.db.writer)
}

const large = 5 * BODY_PLACE_BYTES

test('a claim loads as many bytes of large bodies as it has places, from each endpoint in turn, and all small bodies', async () => {
  await insertDue('a', T0 - 2_000, 20, large)
  await insertDue('b', T0 - 1_000, 20, large)
  await insertDue('c', T0, 20, BODY_PLACE_BYTES)

  const jobs = await claim(60)

  expect(Map.groupBy(jobs, ({ merchantId }) => merchantId as string)).toEqual(
    new Map([
      ['a', Array(6).fill(expect.objectContaining({ bodyBytes: large }))],
      ['b', Array(6).fill(expect.objectContaining({ bodyBytes: large }))],
      ['c', Array(20).fill(expect.objectContaining({ bodyBytes: BODY_PLACE_BYTES }))],
    ]),
  )
  for (const { bodyBytes, takeBody } of jobs) expect(takeBody()).toHaveLength(bodyBytes)
})

test('a job whose body is not loaded is due and free as before, and the next claim takes it', async () => {
  await insertDue('a', T0, 5, large)
  const jobs = () =>
    sql`select due_at, throws, dead_at, missing_since from delivery_jobs where lease_until is null`.execute(
      world.db.writer,
    )
  const before = (await jobs()).rows

  const first = await claim(10)
  expect(first).toHaveLength(2)
  expect((await jobs()).rows).toEqual(before.slice(2))
  const later = [await claim(10), await claim(10)].flat()
  expect(new Set([...first, ...later].map(({ deliveryId }) => deliveryId)).size).toBe(5)
  expect((await jobs()).rows).toEqual([])
})

test('a body that is larger than all places of a claim is loaded', async () => {
  await insertDue('a', T0, 2, large)
  expect(await claim(1)).toMatchObject([{ bodyBytes: large }])
})

test('a job hands its body over once, and keeps none', async () => {
  await insertDue('a', T0, 1, 10)
  const [job] = await claim(1)
  expect(Buffer.from(job?.takeBody() ?? '').toString()).toBe('ééééé')
  expect(() => job?.takeBody()).toThrow('taken before')
})
