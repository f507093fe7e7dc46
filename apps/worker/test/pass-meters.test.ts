import { ENDPOINT_MISSING_MAX_MS, type QueryOutcome, type RailCode } from '@merchant-payments/core'
import { createMetrics } from '@merchant-payments/telemetry'
import { describe, expect, test } from 'vitest'
import type { Egress } from '../src/egress/egress.ts'
import { createLanes } from '../src/lanes.ts'
import { lanesOfRails } from '../src/passes/by-rail.ts'
import { DELIVERY_LANES, startDeliveries } from '../src/passes/deliver-webhooks.ts'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import { createPassMeters } from '../src/passes/metered.ts'
import { SETTLE_LANES, startSettling } from '../src/passes/settle-charges.ts'
import { clientWith, MERCHANT, movableClock, useDatabase, workerDeps } from './harness.ts'
import { testRail } from './rail.ts'
import { answerWith, startReceiver } from './receiver.ts'

const database = useDatabase()
const { query, insertEvent } = database

const RAIL = 'mtn_momo_cm' as RailCode
const RETRY_MS = 10_000

/** A charge of its own intent, opened before the present, whose status query is due. */
async function insertCharge(
  reference: string,
  status: string,
  openedAtMs: number,
  settledAtMs: number | null,
) {
  await query(
    `with ids as (select gen_random_uuid() as intent, gen_random_uuid() as charge),
      i as (insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
          client_secret, livemode)
        select $1, intent, 500, 'XAF', case when $4 = 'failed' then 'requires_payment_method' else 'processing' end,
          array[$2], '{}', 'secret', false from ids),
      j as (insert into charge_jobs (merchant_id, charge_id, rail, due_at) select $1, charge, $2, $5 from ids)
    insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, settled_at)
      select $1, charge, intent, $2, $4, 500, 'XAF', $3, $5, $5, $6 from ids`,
    [
      MERCHANT,
      RAIL,
      reference,
      status,
      new Date(openedAtMs),
      settledAtMs === null ? null : new Date(settledAtMs),
    ],
  )
}

test('a charge is timed from its opening until its rail first settles it', async () => {
  const { clock, advance } = movableClock()
  const openedAtMs = clock()
  const outcomes: Record<string, QueryOutcome> = {
    paid: { kind: 'succeeded', railTxnId: null, amountMinor: null, currency: null },
    late: { kind: 'succeeded', railTxnId: null, amountMinor: null, currency: null },
    pending: { kind: 'pending' },
  }
  const rail = testRail(RAIL, async ({ reference }) => outcomes[reference] ?? { kind: 'not_found' })
  const deps = workerDeps(database.db(), { clock, rails: new Map([[RAIL, rail]]) })
  const metrics = createMetrics()
  const { observeSettled } = createPassMeters(metrics, clock)
  await insertCharge('paid', 'live', openedAtMs, null)
  await insertCharge('pending', 'unconfirmed', openedAtMs, null)
  await insertCharge('late', 'failed', openedAtMs, openedAtMs + 1_000)
  advance(40_000)

  let moved = 0
  const started = await startSettling(
    deps,
    createLanes(lanesOfRails(SETTLE_LANES, deps.rails)),
    (charges) => void (moved += charges),
    observeSettled,
  )
  await started.ended

  expect(moved).toBe(3)
  const lines = (await metrics.render()).split('\n')
  expect(lines.filter((line) => line.startsWith('charge_settlement_duration_seconds_count'))).toEqual([
    'charge_settlement_duration_seconds_count{rail="mtn_momo_cm",status="succeeded"} 1',
  ])
  expect(lines).toContain('charge_settlement_duration_seconds_sum{rail="mtn_momo_cm",status="succeeded"} 40')
  expect(lines).toContain(
    'charge_settlement_duration_seconds_bucket{le="60",rail="mtn_momo_cm",status="succeeded"} 1',
  )
})

test('a delivery is timed from its event to its first POST, not to a later one or to a replay', async () => {
  const receiver = await startReceiver(answerWith(500))
  const { clock, advance } = movableClock()
  const endpoints = [clientWith({ id: 'main', url: receiver.url })]
  const deps = workerDeps(database.db(), { clock, endpoints })
  const metrics = createMetrics()
  const { observeAttempt } = createPassMeters(metrics, clock)
  const deliver = async () =>
    (await (await startDeliveries(deps, createLanes(DELIVERY_LANES), observeAttempt)).ended).claimed
  await insertEvent(clock())
  advance(2_000)
  await fanOutEvents(deps)

  expect(await deliver()).toBe(1)
  advance(RETRY_MS)
  expect(await deliver()).toBe(1)
  await query("update deliveries set status = 'exhausted', finished_at = now()")
  await query('select ops_replay_delivery(id::text, $1) from deliveries', [new Date(clock())])
  expect(await deliver()).toBe(1)

  const text = await metrics.render()
  expect(text).toContain('\nwebhook_first_attempt_delay_seconds_count 1\n')
  expect(text).toContain('\nwebhook_first_attempt_delay_seconds_sum 2\n')
})

test('a delivery that ends without a POST, because its endpoint is gone, is not timed', async () => {
  const { clock, advance } = movableClock()
  const endpoints = [clientWith({ id: 'main', url: 'https://shop.example/' })]
  const metrics = createMetrics()
  const { observeAttempt } = createPassMeters(metrics, clock)
  await insertEvent(clock())
  await fanOutEvents(workerDeps(database.db(), { clock, endpoints }))
  const without = workerDeps(database.db(), { clock })
  const deliver = async () =>
    (await startDeliveries(without, createLanes(DELIVERY_LANES), observeAttempt)).ended

  await deliver()
  advance(ENDPOINT_MISSING_MAX_MS)
  expect((await deliver()).finished).toMatchObject([{ status: 'exhausted' }])
  expect(await metrics.render()).not.toMatch(/^webhook_first_attempt_delay_seconds_count [1-9]/m)
})

describe('deliveries to an endpoint that answers only after ten seconds', () => {
  const EVENTS = 200
  const ANSWERS_AFTER_MS = 10_000

  /** @returns how many first POSTs were counted as made within these seconds of their events */
  async function madeWithin(worker: { startsAfterMs: number }): Promise<(sec: string) => number> {
    const { clock, advance } = movableClock()
    const waiting: (() => void)[] = []
    const egress: Egress = {
      post: async () => {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return { result: 'succeeded', statusCode: 200, error: null, responseExcerpt: null }
      },
      close: async () => undefined,
    }
    const endpoints = [clientWith({ id: 'main', url: 'https://shop.example/' })]
    const deps = workerDeps(database.db(), { clock, endpoints, egress })
    for (let n = 0; n < EVENTS; n += 1) await insertEvent(clock())
    await fanOutEvents(deps)
    advance(worker.startsAfterMs)

    const metrics = createMetrics()
    const { observeAttempt } = createPassMeters(metrics, clock)
    const lanes = createLanes(DELIVERY_LANES)
    const ends: Promise<unknown>[] = []
    const pass = async () => {
      const { full, ended } = await startDeliveries(deps, lanes, observeAttempt)
      ends.push(ended)
      if (full) await pass()
    }
    await pass()
    while (waiting.length > 0) {
      advance(ANSWERS_AFTER_MS)
      await pass()
      for (const answer of waiting.splice(0)) answer()
      await Promise.all(ends)
      await pass()
    }
    const text = await metrics.render()
    expect(text).toContain(`\nwebhook_first_attempt_delay_seconds_count ${EVENTS}\n`)
    return (sec) => Number(text.match(`delay_seconds_bucket\\{le="${sec}"\\} (\\d+)`)?.[1])
  }

  test('are late only by the time for which the worker had a place for them', async () => {
    const within = await madeWithin({ startsAfterMs: 0 })
    expect(within('1')).toBe(EVENTS)
  })

  test('are late by all of the time before the worker took the first of them', async () => {
    const within = await madeWithin({ startsAfterMs: 10 * 60_000 })
    expect({ 300: within('300'), 1800: within('1800') }).toEqual({ 300: 0, 1800: EVENTS })
  })
})
