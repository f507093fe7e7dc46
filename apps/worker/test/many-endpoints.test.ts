import { BODY_PLACE_BYTES, type MerchantId } from '@merchant-payments/core'
import { freePort } from '@merchant-payments/testing/listen'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLanes } from '../src/lanes.ts'
import { DELIVERY_LANES, startDeliveries } from '../src/passes/deliver-webhooks.ts'
import { startSchedule } from '../src/schedule.ts'
import { SECRET, testEgress, useDatabase, workerDeps } from './harness.ts'
import { answerWith, holdBack, startReceiver } from './receiver.ts'

const database = useDatabase()
const { query } = database

const EVENTS = 10_000
const ENDPOINTS = 20
const ARRIVE_WITHIN_MS = 45_000

test(
  'ten thousand events reach all of twenty endpoints but the one that hangs and the one that refuses',
  async () => {
    const receiver = await startReceiver(answerWith(204))
    const { answer, release } = holdBack()
    const hanging = await startReceiver(answer)
    const refusing = await freePort()
    const merchants = Array.from({ length: ENDPOINTS }, (_, n) => `merchant-${n}` as MerchantId)
    const urls = merchants.map((merchant) => `${new URL(receiver.url).origin}/${merchant}`)
    urls[0] = hanging.url
    urls[1] = `http://127.0.0.1:${refusing}/`
    const deps = workerDeps(database.db(), {
      endpoints: merchants.map((clientId, n) => ({
        clientId,
        webhooks: [{ id: 'main', url: urls[n] ?? '', secrets: [secret] }],
      })),
      // An attempt at the hanging endpoint lasts longer than this test.
      egress: testEgress({ totalTimeoutMs: ARRIVE_WITHIN_MS }),
    })
    // The merchants take turns, and the hanging endpoint's events come first.
    await query(
      `insert into events (merchant_id, id, type, body, position)
        select 'merchant-' || n % ${ENDPOINTS}, uuidv7(), 'customer.created', '{"n":' || n || '}', n
        from generate_series(1, ${EVENTS}) n`,
    )
    await query(
      `insert into fanout_jobs (event_id, merchant_id, due_at)
        select id, merchant_id, now() - make_interval(secs => case when merchant_id = 'merchant-0' then 60 else 1 end)
        from events`,
    )

    const schedule = startSchedule(deps, {
      pollIntervalMs: 50,
      retention: { days: 400, onlyArchived: false },
    })
    onTestFinished(async () => {
      release()
      await schedule.stop()
    })
    const expected = (EVENTS / ENDPOINTS) * (ENDPOINTS - 2)
    await receiver.received(expected)
    await expect.poll(succeeded, { timeout: ARRIVE_WITHIN_MS }).toBe(expected)

    expect(new Set(receiver.posts.map(({ path, body }) => `${path} ${body}`)).size).toBe(expected)
    const perEndpoint = Map.groupBy(receiver.posts, ({ path }) => path)
    expect([...perEndpoint.values()].map(({ length }) => length)).toEqual(
      Array(ENDPOINTS - 2).fill(EVENTS / ENDPOINTS),
    )
    // The hanging endpoint holds no more connections than its lane allows.
    expect(hanging.posts.length).toBeLessThanOrEqual(64)
    expect(
      await query("select distinct status from deliveries where merchant_id in ('merchant-0', 'merchant-1')"),
    ).toEqual([{ status: 'pending' }])
  },
  ARRIVE_WITHIN_MS + 15_000,
)

test('a merchant whose endpoints all hang delays no other merchant', async () => {
  const receiver = await startReceiver(answerWith(204))
  const { answer, release } = holdBack()
  const hanging = await startReceiver(answer)
  const hooks = Array.from({ length: ENDPOINTS }, (_, n) => ({
    id: `hook-${n}`,
    url: `${hanging.url}/${n}`,
    secrets: [secret],
  }))
  const deps = workerDeps(database.db(), {
    endpoints: [
      { clientId: 'hanging', webhooks: hooks },
      { clientId: 'quick', webhooks: [{ id: 'main', url: receiver.url, secrets: [secret] }] },
    ],
    // An attempt at a hanging endpoint lasts longer than this test.
    egress: testEgress({ totalTimeoutMs: 2 * ARRIVE_WITHIN_MS }),
  })
  const insert = (merchant: string, events: number) =>
    query(
      `with e as (
          insert into events (merchant_id, id, type, body, position)
          select $1, uuidv7(), 'customer.created', '{}', n + (select count(*) from events)
          from generate_series(1, $2::integer) n returning id
        )
        insert into fanout_jobs (event_id, merchant_id, due_at) select id, $1, now() from e`,
      [merchant, events],
    )
  const schedule = startSchedule(deps, { pollIntervalMs: 50, retention: { days: 400, onlyArchived: false } })
  onTestFinished(async () => {
    release()
    await schedule.stop()
  })

  await insert('hanging', 60)
  await hanging.received(100)
  await insert('quick', 1)
  await receiver.received(1)
  expect(hanging.posts.length).toBeLessThan(DELIVERY_LANES.inFlightMax / 2)
})

describe('large bodies of endpoints that hang', () => {
  const bytes = 5 * BODY_PLACE_BYTES

  /** A hanging endpoint of each merchant, and an endpoint `quick` that answers. Claims until nothing more can be claimed. */
  async function claimAll(merchants: readonly string[]) {
    const { answer, release } = holdBack()
    const hanging = await startReceiver(answer)
    const receiver = await startReceiver(answerWith(204))
    const clientOf = (clientId: string, url: string) => ({
      clientId: clientId as MerchantId,
      webhooks: [{ id: 'main', url, secrets: [secret] }],
    })
    const deps = workerDeps(database.db(), {
      endpoints: [
        ...merchants.map((merchant) => clientOf(merchant, hanging.url)),
        clientOf('quick', receiver.url),
      ],
      // An attempt at a hanging endpoint lasts longer than this test.
      egress: testEgress({ totalTimeoutMs: 2 * ARRIVE_WITHIN_MS }),
    })
    const lanes = createLanes(DELIVERY_LANES)
    const ends: Promise<unknown>[] = []
    const fulls: boolean[] = []
    const claim = async () => {
      const before = await free()
      const { full, ended } = await startDeliveries(deps, lanes)
      ends.push(ended)
      fulls.push(full)
      return (await free()) < before
    }
    while (await claim());
    const finish = async () => {
      release()
      await Promise.all(ends)
      while ((await pending()) > 0) await (await startDeliveries(deps, lanes)).ended
    }
    onTestFinished(finish)
    return { hanging, receiver, fulls, finish }
  }

  const insertDue = (merchant: string, events: number, bodyBytes: number) =>
    query(
      `with e as (
          insert into events (merchant_id, id, type, body, position)
          select $1, uuidv7(), 'invoice.paid', repeat('x', $3), n from generate_series(1, $2::integer) n returning id
        ),
        d as (
          insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
          select $1, id, 'main', id, 'pending', now() from e
        )
        insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
        select id, $1, id, 'main', now() - interval '1 second' from e`,
      [merchant, events, bodyBytes],
    )
  const countOf = async (rows: string) =>
    Number((await query(`select count(*)::integer as n from ${rows}`))[0]?.['n'])
  const free = () => countOf('delivery_jobs where lease_until is null')
  const pending = () => countOf("deliveries where status = 'pending'")

  test('have a bound together, and those beyond it wait without an attempt', async () => {
    const merchants = Array.from({ length: 40 }, (_, n) => `large-${n}`)
    for (const merchant of merchants) await insertDue(merchant, 4, bytes)

    const { hanging, fulls, finish } = await claimAll(merchants)

    // The next claim follows at once.
    expect(fulls[0]).toBe(true)
    const underWay = 4 * merchants.length - (await free())
    await hanging.received(underWay)
    const { inFlightMax, claimMax } = DELIVERY_LANES
    expect(underWay * bytes).toBeGreaterThan((inFlightMax / 2) * BODY_PLACE_BYTES)
    expect(underWay * bytes).toBeLessThan((inFlightMax + claimMax) * BODY_PLACE_BYTES)
    await finish()
    expect(await query('select distinct status, attempts from deliveries')).toEqual([
      { status: 'succeeded', attempts: 1 },
    ])
    expect(hanging.posts).toHaveLength(4 * merchants.length)
  })

  test('of one merchant take its places, and delay no other merchant', async () => {
    await insertDue('large', 100, bytes)
    await insertDue('quick', 20, 2)

    const { hanging, receiver } = await claimAll(['large'])

    await receiver.received(20)
    expect(hanging.posts.length * bytes).toBeLessThan(2 * DELIVERY_LANES.claimMax * BODY_PLACE_BYTES)
  })
})

const secret = { reveal: () => SECRET, toJSON: () => '[secret]' }

const succeeded = async () =>
  (await query("select count(*)::integer as n from deliveries where status = 'succeeded'"))[0]?.['n']
