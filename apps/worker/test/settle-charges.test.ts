import type { QueryOutcome, RailAdapter, RailCode } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { createLanes } from '../src/lanes.ts'
import { lanesOfRails } from '../src/passes/by-rail.ts'
import { SETTLE_LANES, startSettling } from '../src/passes/settle-charges.ts'
import { MERCHANT, useDatabase, workerDeps } from './harness.ts'
import { testRail } from './rail.ts'

const database = useDatabase()
const { query } = database

const SLOW = 'slow_rail' as RailCode
const QUICK = 'quick_rail' as RailCode
const { claimMax, fullAt } = SETTLE_LANES

const paid: QueryOutcome = { kind: 'succeeded', railTxnId: null, amountMinor: null, currency: null }

/** Due live charges, each with its own intent. Those of the slow rail are due first. */
async function insertCharges(rail: RailCode, count: number): Promise<void> {
  await query(
    `with n as (select gen_random_uuid() as intent, gen_random_uuid() as charge from generate_series(1, $3)),
      i as (insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
          client_secret, livemode)
        select $1, intent, 500, 'XAF', 'processing', array[$2], '{}', 'secret', false from n),
      j as (insert into charge_jobs (merchant_id, charge_id, rail, due_at)
        select $1, charge, $2, now() - make_interval(mins => case when $2 = '${SLOW}' then 2 else 1 end) from n)
    insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, acknowledged_at)
      select $1, charge, intent, $2, 'live', 500, 'XAF', charge::text, now(), now(), now() from n`,
    [MERCHANT, rail, count],
  )
}

const paidBy = async (rail: RailCode) =>
  Number(
    (await query(`select count(*) as n from charges where rail = $1 and status = 'succeeded'`, [rail]))[0]?.[
      'n'
    ],
  )

async function untilPaid(rail: RailCode, count: number): Promise<void> {
  while ((await paidBy(rail)) !== count) await new Promise(setImmediate)
}

/** Two rails. The slow one answers only after its release. */
function twoRails() {
  const asked = { [SLOW]: 0, [QUICK]: 0 }
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const railOf = (code: RailCode): RailAdapter =>
    testRail(code, async () => {
      asked[code] = (asked[code] ?? 0) + 1
      if (code === SLOW) await released
      return paid
    })
  const rails = new Map([SLOW, QUICK].map((code) => [code, railOf(code)]))
  return { asked, release, deps: workerDeps(database.db(), { rails }) }
}

test('a rail that hangs delays no charges of other rails in the same claim', async () => {
  const { deps, release } = twoRails()
  await insertCharges(SLOW, 10)
  await insertCharges(QUICK, 10)

  const { full, ended } = await startSettling(deps, createLanes(lanesOfRails(SETTLE_LANES, deps.rails)))
  await untilPaid(QUICK, 10)

  expect({ full, slow: await paidBy(SLOW) }).toEqual({ full: false, slow: 0 })
  release()
  await ended
  expect(await paidBy(SLOW)).toBe(10)
})

test('a rail that hangs is queried for a bounded number of charges, and those of other rails are still claimed', async () => {
  const { deps, release, asked } = twoRails()
  const lanes = createLanes(lanesOfRails(SETTLE_LANES, deps.rails))
  await insertCharges(SLOW, fullAt + claimMax)
  await insertCharges(QUICK, claimMax)
  const pass = () => startSettling(deps, lanes)

  const held = []
  while (lanes.full().length === 0) held.push((await pass()).ended)
  const { full, ended } = await pass()
  await ended

  expect({ asked, full, paid: await paidBy(QUICK) }).toEqual({
    asked: { [SLOW]: fullAt, [QUICK]: claimMax },
    full: true,
    paid: claimMax,
  })
  release()
  await Promise.all(held)
  expect(lanes.full()).toEqual([])
  await (await pass()).ended
  expect(await paidBy(SLOW)).toBe(fullAt + claimMax)
})

test('however many rails hang, the charges of another are queried', async () => {
  const hanging = Array.from({ length: 5 }, (_, n) => `slow_rail_${n}` as RailCode)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const railOf = (code: RailCode) =>
    testRail(code, async () => {
      if (code !== QUICK) await released
      return paid
    })
  const rails = new Map([...hanging, QUICK].map((code) => [code, railOf(code)]))
  const deps = workerDeps(database.db(), { rails })
  const lanes = createLanes(lanesOfRails(SETTLE_LANES, deps.rails))
  for (const rail of hanging) await insertCharges(rail, fullAt + claimMax)
  const held: Promise<unknown>[] = []
  const passes = async () => {
    for (let full = true; full; ) {
      const started = await startSettling(deps, lanes)
      held.push(started.ended)
      full = started.full
    }
  }

  await passes()
  await insertCharges(QUICK, 10)
  await passes()
  await expect.poll(() => paidBy(QUICK)).toBe(10)
  release()
  await Promise.all(held)
})

test('a status query that hangs delays no other charge of its rail, and keeps no other place', async () => {
  const hung = Promise.withResolvers<void>()
  let asked = 0
  const rail = testRail(QUICK, async () => {
    asked += 1
    if (asked === 1) await hung.promise
    return paid
  })
  await insertCharges(QUICK, claimMax)
  const deps = workerDeps(database.db(), { rails: new Map([[QUICK, rail]]) })
  const lanes = createLanes(lanesOfRails({ ...SETTLE_LANES, fullAt: claimMax }, deps.rails))

  const { ended } = await startSettling(deps, lanes)
  expect(lanes.full()).toEqual([QUICK])
  await untilPaid(QUICK, claimMax - 1)
  await expect.poll(() => lanes.full()).toEqual([])
  hung.resolve()
  await ended
  expect(await paidBy(QUICK)).toBe(claimMax)
})

test('a part that cannot be written is reported, and affects no other part', async () => {
  const { deps } = twoRails()
  const rails = new Map([...deps.rails, [SLOW, testRail(SLOW, async () => paid)]])
  await insertCharges(SLOW, 1)
  await insertCharges(QUICK, 1)
  const moved: string[] = []
  const fault = () => {
    if (moved.push('answered') === 1) throw new Error('of one part')
  }

  const { ended } = await startSettling(
    { ...deps, rails, fault: (point) => point === 'settle.rail_answered' && fault() },
    createLanes(lanesOfRails(SETTLE_LANES, deps.rails)),
  )

  await expect(ended).rejects.toThrow('of one part')
  expect((await paidBy(SLOW)) + (await paidBy(QUICK))).toBe(1)
})
