import type { Tx } from '@merchant-payments/db'
import { holdTransaction } from '@merchant-payments/testing'
import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { uuidOf } from '../src/base/ids.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { LEASE_MS } from '../src/queue/claim.ts'
import { declined, makeCharge, makeIntent, paid, T0, unavailable } from './make.ts'
import { settleCharges } from './passes.ts'
import {
  claimOf,
  eventsOf,
  openWorld,
  readCharge,
  readIntent,
  saveCharge,
  saveIntent,
  typesOf,
} from './world.ts'

const MINUTE_MS = 60_000

const world = await openWorld()
afterEach(() => world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute()))
afterAll(() => world.stop())

async function saveLive() {
  world.nowMs = T0 + MINUTE_MS
  world.push.asked.length = 0
  const intent = await saveIntent(world, makeIntent('processing'))
  const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id }))
  return { intent, charge }
}

describe('a worker that lost its lease', () => {
  test('does not undo the schedule of the one that took over', async () => {
    const { charge } = await saveLive()
    world.push.whenAsked = async () => {
      world.push.whenAsked = () => unavailable
      world.nowMs += LEASE_MS
      await settleCharges(world)
      world.nowMs += 1_000
      return unavailable
    }

    await settleCharges(world)

    const takenOverAtMs = T0 + MINUTE_MS + LEASE_MS
    expect(await readCharge(world, charge.id)).toEqual({
      ...charge,
      queryRung: 1,
      lastQueryAtMs: takenOverAtMs,
      nextQueryAtMs: takenOverAtMs + 2_000,
    })
  })

  test('does not overturn what the other one settled', async () => {
    const { intent, charge } = await saveLive()
    world.push.whenAsked = async () => {
      world.push.whenAsked = () => paid
      world.nowMs += LEASE_MS
      await settleCharges(world)
      return { kind: 'failed', decline: declined }
    }

    await settleCharges(world)

    expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
    expect((await readIntent(world, intent.id))?.lastPaymentError).toBeNull()
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })

  test('does not report the money that the other one recorded as paid twice', async () => {
    const { intent, charge } = await saveLive()
    world.alerts.length = 0
    world.push.whenAsked = async () => {
      world.push.whenAsked = () => paid
      world.nowMs += LEASE_MS
      expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
      return paid
    }

    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 0 })

    expect(world.alerts).toEqual([])
    expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })

  test('still settles what the other one could not', async () => {
    const { intent, charge } = await saveLive()
    world.push.whenAsked = async () => {
      world.push.whenAsked = () => unavailable
      world.nowMs += LEASE_MS
      await settleCharges(world)
      return paid
    }

    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })

    expect(await readCharge(world, charge.id)).toMatchObject({ status: 'succeeded', nextQueryAtMs: null })
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })
})

test('a charge whose worker died is free within a minute, and not a moment sooner', async () => {
  const { charge } = await saveLive()
  world.push.whenAsked = () => paid
  const dies = {
    ...world,
    fault: () => {
      throw new Error('killed')
    },
  }
  await expect(settleCharges(dies)).rejects.toThrow('killed')

  world.nowMs += LEASE_MS - 1
  expect(await settleCharges(world)).toEqual({ claimed: 0, moved: 0 })
  world.nowMs += 1
  expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
  expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
})

test('an intent that changes during the rail’s query is settled from its new state', async () => {
  const { intent, charge } = await saveLive()
  world.push.whenAsked = async () => {
    await cancelIntent(world, claimOf(), intent.id, 'requested_by_customer')
    return paid
  }

  expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })

  expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
  expect(await readIntent(world, intent.id)).toEqual({ ...intent, status: 'succeeded', revision: 5 })
  expect(await typesOf(world, intent.id)).toEqual(['payment_intent.canceled', 'payment_intent.succeeded'])
})

describe('what changes between the plan and its writing', () => {
  // A transaction that changes a row while the rail is queried, and commits after the pass.
  const settleDuring = async (change: (tx: Tx) => Promise<unknown>) => {
    let commit = () => Promise.resolve()
    world.push.whenAsked = async () => {
      world.push.whenAsked = () => paid
      commit = await holdTransaction(world.db, change)
      return paid
    }
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 0 })
    await commit()
    world.nowMs += 2_000
    return settleCharges(world)
  }

  test('an uncommitted change of the intent: the pass does not wait, and the next pass settles the charge', async () => {
    const { intent, charge } = await saveLive()
    const report = await settleDuring((tx) =>
      sql`update payment_intents set description = 'changed', revision = revision + 1
        where id = ${uuidOf(intent.id)}::uuid`.execute(tx),
    )
    expect(report).toEqual({ claimed: 1, moved: 1 })
    expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
    expect(await readIntent(world, intent.id)).toMatchObject({
      status: 'succeeded',
      description: 'changed',
      revision: 5,
    })
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })

  test('an uncommitted change of the charge: the pass does not wait, and the next pass settles the charge', async () => {
    const { intent, charge } = await saveLive()
    const report = await settleDuring((tx) =>
      sql`update charges set rail_token = 'told late', revision = revision + 1
        where id = ${uuidOf(charge.id)}::uuid`.execute(tx),
    )
    expect(report).toEqual({ claimed: 1, moved: 1 })
    expect(await readCharge(world, charge.id)).toMatchObject({
      status: 'succeeded',
      railToken: 'told late',
      revision: charge.revision + 2,
    })
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })
})

test('a pass that loses every round to another writer reports money that was paid twice once', async () => {
  world.nowMs = T0 + MINUTE_MS
  world.alerts.length = 0
  const intent = await saveIntent(world, makeIntent('succeeded'))
  const { id, rail } = await saveCharge(world, makeCharge('live', { intentId: intent.id }))
  const facts = { charge: id, rail }
  let commit = () => Promise.resolve()
  world.push.whenAsked = async () => {
    commit = await holdTransaction(world.db, (tx) =>
      sql`select from charges where id = ${uuidOf(id)}::uuid for update`.execute(tx),
    )
    return paid
  }
  expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 0 })
  expect(world.alerts).toEqual([{ name: 'charge_duplicate_success', facts }])
  await commit()
})

test('four workers at once ask for each of 120 charges once, and settle it once', async () => {
  const pairs = []
  for (let n = 0; n < 120; n += 1) pairs.push(await saveLive())
  world.push.whenAsked = () => paid
  const drain = async () => {
    const moved: number[] = []
    for (;;) {
      const report = await settleCharges(world, 7)
      if (report.claimed === 0) return moved
      moved.push(report.moved)
    }
  }

  const moved = (await Promise.all([drain(), drain(), drain(), drain()])).flat()

  expect(moved.reduce((sum, n) => sum + n, 0)).toBe(120)
  expect(world.push.asked.map(({ reference }) => reference).toSorted()).toEqual(
    pairs.map(({ charge }) => charge.reference).toSorted(),
  )
  for (const { intent, charge } of pairs) {
    expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
    expect(await eventsOf(world, intent.id)).toHaveLength(1)
  }
})

test('a pass takes no more than it is told to, the longest due first', async () => {
  world.nowMs = T0 + MINUTE_MS
  const saved = []
  for (const dueSec of [50, 10, 40, 20, 30]) {
    const intent = await saveIntent(world, makeIntent('processing'))
    saved.push(
      await saveCharge(
        world,
        makeCharge('live', { intentId: intent.id, nextQueryAtMs: T0 + dueSec * 1_000 }),
      ),
    )
  }
  world.push.asked.length = 0
  world.push.whenAsked = () => unavailable

  expect(await settleCharges(world, 3)).toEqual({ claimed: 3, moved: 0 })

  const dueAt = new Map(saved.map((charge) => [charge.reference, (charge.nextQueryAtMs ?? 0) - T0]))
  expect(new Set(world.push.asked.map(({ reference }) => dueAt.get(reference)))).toEqual(
    new Set([10_000, 20_000, 30_000]),
  )
})
