import type { RailAdapter, RailCode, RailRefunds } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { createLanes } from '../src/lanes.ts'
import { lanesOfRails } from '../src/passes/by-rail.ts'
import { INSTRUCT_LANES, startInstructing } from '../src/passes/instruct-refunds.ts'
import { MERCHANT, useDatabase, workerDeps } from './harness.ts'
import { testRail } from './rail.ts'

const database = useDatabase()
const { query } = database

const SLOW = 'slow_rail' as RailCode
const QUICK = 'quick_rail' as RailCode
const { claimMax, fullAt } = INSTRUCT_LANES

/** Due refunds of one paid intent that may have been sent. Those of the slow rail are due first. */
async function insertRefunds(rail: RailCode, count: number): Promise<void> {
  await query(
    `with i as (insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
          client_secret, livemode, refund_reserved)
        values ($1, gen_random_uuid(), 500000, 'XAF', 'succeeded', array[$2], '{}', 'secret', false, 100 * $3) returning id),
    paid as (insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
          submit_deadline)
        select $1, gen_random_uuid(), id, $2, 'succeeded', 500000, 'XAF', gen_random_uuid(), now(), now() from i),
    r as (insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode,
        opened_at, rail, reference, instruction, destination_msisdn, submit_deadline)
      select $1, gen_random_uuid(), i.id, 'pending', 100, 'XAF', '{}', false, now(), $2, gen_random_uuid(), 'sent',
        '237670000001', now() from i, generate_series(1, $3) returning merchant_id, id, rail)
    insert into refund_jobs (merchant_id, refund_id, rail, due_at)
      select merchant_id, id, rail, now() - make_interval(mins => case when $2 = '${SLOW}' then 2 else 1 end) from r`,
    [MERCHANT, rail, count],
  )
}

const takenBy = async (rail: RailCode) =>
  Number(
    (
      await query(`select count(*) as n from refunds where rail = $1 and instruction = 'accepted'`, [rail])
    )[0]?.['n'],
  )

async function untilTaken(rail: RailCode, count: number): Promise<void> {
  while ((await takenBy(rail)) !== count) await new Promise(setImmediate)
}

/** Two rails that have every refund they are asked for. The slow one answers only after its release. */
function twoRails() {
  const asked = { [SLOW]: 0, [QUICK]: 0 }
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const refundsOf = (code: RailCode): RailRefunds => ({
    dedupes: true,
    submitRefund: () => expect.unreachable('the rail already has it'),
    queryRefund: async () => {
      asked[code] = (asked[code] ?? 0) + 1
      if (code === SLOW) await released
      return { kind: 'pending' }
    },
  })
  const railOf = (code: RailCode): RailAdapter =>
    testRail(code, () => expect.unreachable('no charge is due'), refundsOf(code))
  const rails = new Map([SLOW, QUICK].map((code) => [code, railOf(code)]))
  return { asked, release, deps: workerDeps(database.db(), { rails }) }
}

test('a rail that hangs delays no refunds of other rails in the same claim', async () => {
  const { deps, release } = twoRails()
  await insertRefunds(SLOW, 10)
  await insertRefunds(QUICK, 10)

  const { full, ended } = await startInstructing(deps, createLanes(lanesOfRails(INSTRUCT_LANES, deps.rails)))
  await untilTaken(QUICK, 10)

  expect({ full, slow: await takenBy(SLOW) }).toEqual({ full: false, slow: 0 })
  release()
  await ended
  expect(await takenBy(SLOW)).toBe(10)
})

test('a rail that hangs holds a bounded number of refunds, and those of other rails are still claimed', async () => {
  const { deps, release, asked } = twoRails()
  const lanes = createLanes(lanesOfRails(INSTRUCT_LANES, deps.rails))
  await insertRefunds(SLOW, fullAt + claimMax)
  await insertRefunds(QUICK, claimMax)
  const pass = () => startInstructing(deps, lanes)

  const held = []
  while (lanes.full().length === 0) held.push((await pass()).ended)
  const { full, ended } = await pass()
  await ended

  expect({ full, taken: await takenBy(QUICK), quick: asked[QUICK] }).toEqual({
    full: true,
    taken: claimMax,
    quick: claimMax,
  })
  release()
  await Promise.all(held)
  expect([asked[SLOW], lanes.full()]).toEqual([fullAt, []])
  await (await pass()).ended
  expect(await takenBy(SLOW)).toBe(fullAt + claimMax)
})

test('a call that hangs delays no other refund of its rail, and keeps no other place', async () => {
  const hung = Promise.withResolvers<void>()
  let asked = 0
  const refunds: RailRefunds = {
    dedupes: true,
    submitRefund: () => expect.unreachable('the rail already has it'),
    queryRefund: async () => {
      asked += 1
      if (asked === 1) await hung.promise
      return { kind: 'pending' }
    },
  }
  const rail = testRail(QUICK, () => expect.unreachable('no charge is due'), refunds)
  await insertRefunds(QUICK, claimMax)
  const deps = workerDeps(database.db(), { rails: new Map([[QUICK, rail]]) })
  const lanes = createLanes(lanesOfRails({ ...INSTRUCT_LANES, fullAt: claimMax }, deps.rails))

  const { ended } = await startInstructing(deps, lanes)
  expect(lanes.full()).toEqual([QUICK])
  await untilTaken(QUICK, claimMax - 1)
  await expect.poll(() => lanes.full()).toEqual([])
  hung.resolve()
  await ended
  expect(await takenBy(QUICK)).toBe(claimMax)
})
