import type { Database, Writer } from '@merchant-payments/db'
import { type KyselyPlugin, type QueryResult, sql } from 'kysely'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { uuidOf } from '../src/base/ids.ts'
import type { Charge } from '../src/charges/charge.ts'
import { QUERY_INTERVAL_MIN_MS } from '../src/charges/ladder.ts'
import { pullForward } from '../src/charges/store.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { accepted, makeCharge, makeIntent, paid, PUSH, REDIRECT, T0, unavailable, unknown } from './make.ts'
import { settleCharges } from './passes.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  hold,
  openPool,
  openWorld,
  readCharge,
  readIntent,
  saveCharge,
  saveIntent,
  typesOf,
  untilWaiting,
} from './world.ts'

const HOUR_MS = 3_600_000

const world = await openWorld()
afterAll(() => world.stop())

async function save(status: Charge['status'], fields: Partial<Charge> = {}): Promise<Charge> {
  const intent = await saveIntent(world, makeIntent('processing'))
  const waits = { nextQueryAtMs: T0 + HOUR_MS, callbackSecret: null, ...fields }
  return saveCharge(world, makeCharge(status, { ...waits, intentId: intent.id }))
}

const call = (charge: Charge, nowMs = T0 + 60_000) =>
  pullForward(world.db.writer, charge.rail, { by: 'reference', value: charge.reference }, nowMs)

const nextQueryOf = async (charge: Charge) => (await readCharge(world, charge.id))?.nextQueryAtMs

describe('a callback', () => {
  test.each(['live', 'unconfirmed', 'failed', 'abandoned'] as const)(
    'makes the next query of a charge that is %s due at once, and changes nothing else',
    async (status) => {
      const charge = await save(status)
      const intent = await readIntent(world, charge.intentId)
      await call(charge)
      expect(await readCharge(world, charge.id)).toEqual({ ...charge, nextQueryAtMs: T0 + 60_000 })
      expect(await readIntent(world, charge.intentId)).toEqual(intent)
      expect(await typesOf(world, charge.intentId)).toEqual([])
    },
  )

  test('brings a charge forward that was queried before the database’s clock was set back', async () => {
    const charge = await save('live', { lastQueryAtMs: T0 + 24 * HOUR_MS, nextQueryAtMs: T0 + 25 * HOUR_MS })
    await call(charge)
    expect(await nextQueryOf(charge)).toBe(T0 + 60_000 + QUERY_INTERVAL_MIN_MS)
  })

  test('finds its charge by the secret that the rail was given', async () => {
    const charge = await save('live', { callbackSecret: 'known-to-the-rail' })
    const by = 'callback_secret'
    await pullForward(world.db.writer, PUSH, { by, value: 'guessed' }, T0 + 60_000)
    expect(await nextQueryOf(charge)).toBe(T0 + HOUR_MS)
    await pullForward(world.db.writer, PUSH, { by, value: 'known-to-the-rail' }, T0 + 60_000)
    expect(await nextQueryOf(charge)).toBe(T0 + 60_000)
  })

  test('of another rail finds nothing, and neither does an unknown reference', async () => {
    const charge = await save('live')
    await pullForward(world.db.writer, REDIRECT, { by: 'reference', value: charge.reference }, T0 + 60_000)
    await pullForward(world.db.writer, PUSH, { by: 'reference', value: 'nobody' }, T0 + 60_000)
    expect(await readCharge(world, charge.id)).toEqual(charge)
  })

  test('while the submit is still under way changes nothing yet', async () => {
    const charge = await save('submitting')
    await call(charge)
    expect(await readCharge(world, charge.id)).toEqual(charge)
  })

  test.each(['succeeded', 'duplicate'] as const)('for a charge that %s asks for nothing', async (status) => {
    const charge = await save(status, { nextQueryAtMs: null })
    await call(charge)
    expect(await readCharge(world, charge.id)).toEqual(charge)
  })

  test('never delays a query', async () => {
    const charge = await save('live', { nextQueryAtMs: T0 + 30_000 })
    await call(charge, T0 + 60_000)
    expect(await nextQueryOf(charge)).toBe(T0 + 30_000)
  })
})

describe('a flood of callbacks', () => {
  test('asks the rail no more often than every two seconds', async () => {
    const charge = await save('live', { lastQueryAtMs: T0 + 59_000 })
    await call(charge, T0 + 60_000)
    expect(await nextQueryOf(charge)).toBe(T0 + 61_000)
    await call(charge, T0 + 60_500)
    expect(await nextQueryOf(charge)).toBe(T0 + 61_000)
  })

  test('while the rail is queried causes one more query', async () => {
    await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
    const charge = await save('live', { nextQueryAtMs: T0, queryRung: 9 })
    world.nowMs = T0 + 1_000
    world.push.whenAsked = async () => {
      for (let n = 0; n < 100; n += 1) await call(charge, (world.nowMs += 50))
      return { kind: 'pending' }
    }
    await settleCharges(world)
    expect(await nextQueryOf(charge)).toBe(world.nowMs + 2_000)
  })

  test('a hundred a second for a minute is thirty queries', async () => {
    await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
    const charge = await save('live', { nextQueryAtMs: T0 + HOUR_MS, queryRung: 9 })
    world.push.whenAsked = () => unavailable
    world.push.asked.length = 0
    for (let ms = 0; ms < 60_000; ms += 10) {
      world.nowMs = T0 + ms
      await call(charge, world.nowMs)
      if (ms % 100 === 0) await settleCharges(world)
    }
    expect(world.push.asked).toHaveLength(30)
  })
})

test('callbacks of jobs that a transaction holds end before it does, so that they keep no connections', async () => {
  const charge = await save('live')
  const others = openPool(world.appUrl, 2)
  onTestFinished(() => others.close())
  await world.owner.transact(async (tx) => {
    await sql`select from charge_jobs where charge_id = ${uuidOf(charge.id)}::uuid for update`.execute(tx)
    const pull = () =>
      pullForward(others.writer, charge.rail, { by: 'reference', value: charge.reference }, T0 + 60_000)
    await Promise.all([pull(), pull(), pull()])
    await sql`select 1`.execute(others.writer)
  })
  expect(await nextQueryOf(charge)).toBe(T0 + HOUR_MS)
})

test('a callback that comes before the answer of the submit takes effect once the answer is written', async () => {
  world.nowMs = T0
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  world.push.whenSubmitted = async ({ reference }) => {
    // Some operators call back before they answer the submit.
    await pullForward(world.db.writer, PUSH, { by: 'reference', value: reference }, world.nowMs)
    return accepted
  }
  await confirmIntent(world, claimOf(), intent.id, confirmation())
  const [charge] = await chargesOf(world, intent.id)
  expect(charge).toMatchObject({ status: 'live', nextQueryAtMs: T0 })
})

test('a callback that comes before a lost answer of the submit takes effect once the charge is unconfirmed', async () => {
  world.nowMs = T0
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  world.push.whenSubmitted = async ({ reference }) => {
    await pullForward(world.db.writer, PUSH, { by: 'reference', value: reference }, world.nowMs)
    return unknown
  }
  await expect(confirmIntent(world, claimOf(), intent.id, confirmation())).rejects.toMatchObject({
    code: 'provider_unavailable',
  })
  const [charge] = await chargesOf(world, intent.id)
  expect(charge).toMatchObject({ status: 'unconfirmed', nextQueryAtMs: T0 })
})

test('a callback that waits while the answer of the submit is written is not lost', async () => {
  const others = openPool(world.appUrl, 3)
  onTestFinished(() => others.close())
  world.nowMs = T0
  let charge = await meetAnswer(others)
  // A callback gives up after a moment, so on a slow machine it may have to come again.
  while (charge === null) charge = await meetAnswer(others)
  expect(charge).toMatchObject({ status: 'live', nextQueryAtMs: T0 })
})

/** A callback that begins before the answer of its submit is committed. @returns null if it gave up */
async function meetAnswer(others: Database): Promise<Charge | null> {
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  const submitted = Promise.withResolvers<string>()
  const answered = Promise.withResolvers<typeof accepted>()
  world.push.whenSubmitted = ({ reference }) => {
    submitted.resolve(reference)
    return answered.promise
  }
  const confirmed = confirmIntent(world, claimOf(), intent.id, confirmation())
  const value = await submitted.promise
  const isJob = sql`j.charge_id = c.id and c.reference = ${value}`
  const free = await hold(world, sql`select from charge_jobs j, charges c where ${isJob} for update of j`)
  answered.resolve(accepted)
  await untilWaiting(world)
  const heard: unknown[] = []
  let hasEnded = false
  const called = pullForward(others.writer, PUSH, { by: 'reference', value }, world.nowMs, (requestId) =>
    heard.push(requestId),
  ).finally(() => (hasEnded = true))
  await untilWaiting(world, 2, () => hasEnded)
  await free()
  await Promise.all([confirmed, called])
  const [charge] = await chargesOf(world, intent.id)
  return heard.length === 0 || charge === undefined ? null : charge
}

test('a callback that comes while the rail is being asked is not lost', async () => {
  await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
  const charge = await save('live', { nextQueryAtMs: T0, queryRung: 9 })
  world.nowMs = T0 + 1_000
  world.push.whenAsked = async () => {
    // The payer approves just after the rail has read the status, and the rail calls back at once.
    await call(charge, world.nowMs)
    return { kind: 'pending' }
  }

  await settleCharges(world)

  // After the minimum interval, and not a rung of the ladder later.
  expect(await nextQueryOf(charge)).toBe(T0 + 3_000)
})

test('a callback that holds the job while the answer of the rail is written is not lost', async () => {
  await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
  const charge = await save('live', { nextQueryAtMs: T0, queryRung: 9 })
  world.nowMs = T0 + 1_000
  let commit: (() => Promise<void>) | null = null
  world.push.whenAsked = async () => {
    const isOfIt = sql`charge_id = ${uuidOf(charge.id)}::uuid`
    commit = await hold(world, sql`update charge_jobs set pulled = true where ${isOfIt}`)
    return { kind: 'pending' }
  }
  // The callback commits once the settlement has met its lock.
  const writer = writerThat(async () => {
    await commit?.()
  })
  await settleCharges({ ...world, db: { ...world.db, writer } })

  expect(await nextQueryOf(charge)).toBe(T0 + 3_000)
  const { rows } = await sql`select 1 from charge_jobs where lease_until is not null`.execute(world.db.writer)
  expect(rows).toEqual([])
})

test('a callback that holds the job of a charge whose intent is held too leaves no lease behind', async () => {
  await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
  const charge = await save('live', { nextQueryAtMs: T0, queryRung: 9 })
  world.nowMs = T0 + 1_000
  let commit: (() => Promise<void>) | null = null
  const frees: (() => Promise<void>)[] = []
  world.push.whenAsked = async () => {
    const isOfIt = sql`charge_id = ${uuidOf(charge.id)}::uuid`
    commit = await hold(world, sql`update charge_jobs set pulled = true where ${isOfIt}`)
    const isIntent = sql`id = ${uuidOf(charge.intentId)}::uuid`
    frees.push(await hold(world, sql`select from payment_intents where ${isIntent} for update`))
    return paid
  }
  await settleCharges({
    ...world,
    db: {
      ...world.db,
      writer: writerThat(async ({ rows: [row] }) => {
        if (typeof row === 'object' && row !== null && 'skipped' in row) await commit?.()
      }),
    },
  })
  for (const free of frees) await free()

  const { rows } = await sql`select 1 from charge_jobs where lease_until is not null`.execute(world.db.writer)
  expect(rows).toEqual([])
  expect(await nextQueryOf(charge)).toBe(T0 + 3_000)
})

/** The world's writer, which does something after each of its statements. */
function writerThat(afterwards: (result: QueryResult<unknown>) => Promise<void>): Writer {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await afterwards(result)
      return result
    },
  }
  return { getExecutor: () => world.db.writer.getExecutor().withPlugin(plugin) } as Writer
}
