import { describe, expect, test } from 'vitest'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import { clientWith, deliverWebhooks, movableClock, START_MS, useDatabase, workerDeps } from './harness.ts'
import { type Answer, answerWith, startReceiver } from './receiver.ts'

const database = useDatabase()
const { query, insertEvent } = database

const DAY_MS = 24 * 60 * 60_000
const SECOND_MS = 1_000
const delaysMs = [10, 30, 120, 600, 3_600, 21_600, 86_400].map((seconds) => seconds * SECOND_MS)

const deliveries = () => query('select status, attempts, attempts_before, finished_at from deliveries')
const jobs = () => query('select due_at, lease_until, throws, dead_at from delivery_jobs')
const attemptNumbers = async () =>
  (await query('select number from delivery_attempts order by number')).map(({ number }) => number)

/** An id as alerts print it. */
const printed = (prefix: string, uuid: unknown) => `${prefix}_${String(uuid).replaceAll('-', '')}`
const deliveryId = async () => printed('wd', (await query('select id from deliveries'))[0]?.['id'])
const replay = async (delivery: string, nowMs: number) =>
  (await query('select ops_replay_delivery($1, $2) as id', [delivery, new Date(nowMs)]))[0]?.['id']
const retry = async (event: string, nowMs: number) =>
  (await query('select ops_retry_fanout($1, $2) as id', [event, new Date(nowMs)]))[0]?.['id']

async function setUp(answer: Answer) {
  const receiver = await startReceiver(answer)
  const { clock, advance } = movableClock()
  const deps = workerDeps(database.db(), {
    clock,
    endpoints: [clientWith({ id: 'main', url: receiver.url })],
  })
  const event = await insertEvent(clock())
  await fanOutEvents(deps)
  /** Attempts the delivery at each rung of the ladder. */
  const climb = async () => {
    await deliverWebhooks(deps)
    for (const delayMs of delaysMs) {
      advance(delayMs - 1)
      expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 0 })
      advance(1)
      expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1 })
    }
  }
  return { receiver, deps, event, clock, advance, climb }
}

describe('ops_replay_delivery [§6.3.8]', () => {
  test('gives an exhausted delivery a new ladder, and continues the numbers of its attempts [§3.3]', async () => {
    const { receiver, deps, event, clock, advance, climb } = await setUp(answerWith(500))
    await climb()
    expect(await deliveries()).toMatchObject([{ status: 'exhausted', attempts: 8 }])
    advance(DAY_MS)
    const id = await deliveryId()

    expect(await replay(id, clock())).toBe(id)

    expect(await deliveries()).toEqual([
      { status: 'pending', attempts: 0, attempts_before: 8, finished_at: null },
    ])
    expect(await jobs()).toEqual([{ due_at: new Date(clock()), lease_until: null, throws: 0, dead_at: null }])
    await climb()
    expect(await deliveries()).toMatchObject([{ status: 'exhausted', attempts: 8, attempts_before: 8 }])
    expect(await attemptNumbers()).toEqual(Array.from({ length: 16 }, (_, n) => n + 1))
    expect(receiver.posts.map(({ body }) => body)).toEqual(Array(16).fill(event.body))
    expect(deps.alerts.map(({ name }) => name)).toEqual(['webhook_exhausted', 'webhook_exhausted'])
    expect(await jobs()).toEqual([])
  })

  test('revives the dead letter of a pending delivery', async () => {
    const { receiver, deps, clock } = await setUp(answerWith(200))
    await query('update deliveries set attempts = 3; update delivery_jobs set throws = 5, dead_at = due_at')
    expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 0 })

    await replay(await deliveryId(), clock())
    expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1 })

    expect(await deliveries()).toMatchObject([{ status: 'succeeded', attempts: 1, attempts_before: 3 }])
    expect(await attemptNumbers()).toEqual([4])
    expect(receiver.posts).toHaveLength(1)
  })

  test('also accepts the uuid, so that a query can replay many', async () => {
    const { climb, clock, deps } = await setUp(answerWith(500))
    await climb()
    await query("select ops_replay_delivery(id::text, $1) from deliveries where status = 'exhausted'", [
      new Date(clock()),
    ])
    expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1 })
  })

  test('called twice at once replays once, and the other call fails because the delivery is under way', async () => {
    const { climb, clock } = await setUp(answerWith(500))
    await climb()
    const id = await deliveryId()
    const both = await Promise.allSettled([replay(id, clock()), replay(id, clock())])
    expect(both.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { message: `delivery ${id} is under way` } },
    ])
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts_before: 8 }])
    expect(await jobs()).toHaveLength(1)
  })

  test('changes nothing if the delivery has succeeded, is under way or does not exist', async () => {
    const { deps, clock } = await setUp(answerWith(200))
    const [id, unknown] = [await deliveryId(), `wd_${'0'.repeat(32)}`]
    const before = [await deliveries(), await jobs()]
    await expect(replay(id, clock())).rejects.toThrow(`delivery ${id} is under way`)
    await expect(replay(unknown, clock())).rejects.toThrow(`there is no delivery ${unknown}`)
    await expect(replay('wd_1', clock())).rejects.toThrow('delivery is wd_ and 32 hexadecimal digits')
    expect([await deliveries(), await jobs()]).toEqual(before)

    await deliverWebhooks(deps)
    await expect(replay(id, clock())).rejects.toThrow(`delivery ${id} has succeeded`)
    expect(await jobs()).toEqual([])
  })
})

describe('ops_retry_fanout', () => {
  const state = () => query('select fanout_state, failures, due_at from fanout_jobs')

  test('makes a failed event pending, with five new passes [§3.4]', async () => {
    const { clock } = movableClock()
    const { id } = await insertEvent(START_MS)
    await query("update fanout_jobs set fanout_state = 'failed', failures = 5")
    const deps = workerDeps(database.db(), {
      clock,
      endpoints: [clientWith({ id: 'main', url: 'https://shop.example/hooks' })],
    })
    expect(await fanOutEvents(deps)).toMatchObject({ found: 0 })

    expect(await retry(id, clock())).toBe(id)

    expect(await state()).toEqual([{ fanout_state: 'pending', failures: 0, due_at: new Date(START_MS) }])
    expect(await fanOutEvents(deps)).toMatchObject({ found: 1, done: 1 })
    expect(await deliveries()).toMatchObject([{ status: 'pending' }])
  })

  test.each(['pending', 'done'])('refuses an event that is %s, and one that does not exist', async (is) => {
    const { id } = await insertEvent(START_MS)
    if (is === 'done') await query('delete from fanout_jobs')
    const before = await state()
    for (const event of [id, `evt_${'0'.repeat(32)}`]) {
      await expect(retry(event, START_MS)).rejects.toThrow(`there is no event ${event} whose fan-out failed`)
    }
    expect(await state()).toEqual(before)
  })
})
