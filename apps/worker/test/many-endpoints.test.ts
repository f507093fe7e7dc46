import type { MerchantId } from '@merchant-payments/core'
import { freePort } from '@merchant-payments/testing/listen'
import { expect, onTestFinished, test } from 'vitest'
import { DELIVERY_LANES } from '../src/passes/deliver-webhooks.ts'
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

const secret = { reveal: () => SECRET, toJSON: () => '[secret]' }

const succeeded = async () =>
  (await query("select count(*)::integer as n from deliveries where status = 'succeeded'"))[0]?.['n']
