import { within } from '@merchant-payments/db'
import { holdTransaction } from '@merchant-payments/testing'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Id, mintedAtMs, uuidOf } from '../src/base/ids.ts'
import { updateCustomer } from '../src/customers/update.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { planFailure } from '../src/payment-intents/plan-charge.ts'
import { writeTransitions } from '../src/payment-intents/transitions.ts'
import { createRefund } from '../src/refunds/create.ts'
import { updateRefund } from '../src/refunds/update.ts'
import { declined, makeCharge, makeIntent, makeRefunds, paid, PAYER, PUSH, T0 } from './make.ts'
import { settleCharges } from './passes.ts'
import {
  afterReading,
  claimOf,
  openWorld,
  saveCharge,
  saveCustomer,
  saveIntent,
  savePaid,
  untilWaiting,
} from './world.ts'

/** More than ids of one process may run ahead of its clock. */
const LATER_MS = 3_000

const world = await openWorld()
beforeEach(async () => {
  world.nowMs = T0
  await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
})
afterAll(() => world.stop())

/** The events of an object in the order of their commits, with the ms from T0 to their times. */
async function timesOf(id: Id<'pi' | 'cus' | 're'>): Promise<[type: string, afterMs: number][]> {
  const { rows } = await sql<{ body: string }>`
    select body from events where body::jsonb -> 'data' -> 'object' ->> 'id' = ${id} order by position`.execute(
    world.db.writer,
  )
  return rows.map(({ body }) => {
    const event = JSON.parse(body) as { id: Id<'evt'>; type: string }
    return [event.type, mintedAtMs(event.id) - T0]
  })
}

test('a cancel that waited for the rail’s refusal is reported as later than the refusal [§6.3.2]', async () => {
  const intent = await saveIntent(world, makeIntent('processing'))
  const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id }))
  const laterMs = T0 + LATER_MS
  const refused = { ...planFailure(charge, intent, declined, laterMs), key: null }
  const commit = await holdTransaction(world.db, (tx) =>
    writeTransitions(within(tx).writer, [refused], laterMs),
  )
  const canceled = cancelIntent(world, claimOf(), intent.id, null)
  await untilWaiting(world)
  world.nowMs = laterMs + 10
  await commit()
  expect(JSON.parse((await canceled).body)).toMatchObject({ status: 'canceled' })
  expect(await timesOf(intent.id)).toEqual([
    ['payment_intent.payment_failed', LATER_MS],
    ['payment_intent.canceled', LATER_MS + 10],
  ])
})

test('an update that waited for another update is reported as later [§6.3.2]', async () => {
  const id = await saveCustomer(world)
  const later = { ...world, clock: () => T0 + LATER_MS }
  const commit = await holdTransaction(world.db, (tx) =>
    updateCustomer({ ...later, db: { ...world.db, ...within(tx) } }, claimOf(), id, { name: 'First' }),
  )
  const second = updateCustomer(world, claimOf(), id, { name: 'Second' })
  await untilWaiting(world)
  world.nowMs = T0 + LATER_MS + 10
  await commit()
  await second
  expect(await timesOf(id)).toEqual([
    ['customer.updated', LATER_MS],
    ['customer.updated', LATER_MS + 10],
  ])
})

test('a payment that is settled after a cancel is reported as later [§6.3.2]', async () => {
  world.nowMs = T0 + 60_000
  const intent = await saveIntent(world, makeIntent('processing'))
  const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id }))
  world.push.whenAsked = async () => {
    // The pass then plans from the older revision, and reads the charge again.
    await sql`update charges set revision = revision + 1 where id = ${uuidOf(charge.id)}::uuid`.execute(
      world.owner.writer,
    )
    return paid
  }
  let isCanceled = false
  const db = afterReading(world.db, 'submit_deadline', async () => {
    if (isCanceled) return
    isCanceled = true
    world.nowMs += LATER_MS
    await cancelIntent(world, claimOf(), intent.id, null)
  })
  expect(await settleCharges({ ...world, db })).toEqual({ claimed: 1, moved: 1 })
  expect(isCanceled).toBe(true)
  const [canceled, succeeded] = await timesOf(intent.id)
  expect([canceled?.[0], succeeded?.[0]]).toEqual(['payment_intent.canceled', 'payment_intent.succeeded'])
  expect(succeeded?.[1]).toBeGreaterThanOrEqual(canceled?.[1] ?? Number.POSITIVE_INFINITY)
})

test('a rail’s refusal that waited for an update of the refund is reported as later [§6.3.2]', async () => {
  const refunds = makeRefunds()
  world.push.refunds = refunds
  const { id: paymentIntent } = await savePaid(world)
  const later = { ...world, clock: () => T0 + LATER_MS }
  const sent = Promise.withResolvers<() => Promise<void>>()
  refunds.whenSent = async ({ reference }) => {
    const { rows } = await sql<{ id: string }>`select id from refunds where reference = ${reference}`.execute(
      world.db.writer,
    )
    const id = `re_${rows[0]?.id.replaceAll('-', '')}`
    sent.resolve(
      await holdTransaction(world.db, (tx) =>
        updateRefund({ ...later, db: { ...world.db, ...within(tx) } }, claimOf(), id, { note: 'checked' }),
      ),
    )
    return { kind: 'declined', decline: declined }
  }
  const created = createRefund(world, claimOf(), {
    paymentIntent,
    amountMinor: 400,
    reason: null,
    metadata: {},
    destination: { [PUSH]: { msisdn: PAYER } },
  })
  const commit = await sent.promise
  await untilWaiting(world)
  world.nowMs = T0 + LATER_MS + 10
  await commit()
  const { id } = JSON.parse((await created).body)
  expect(await timesOf(id)).toEqual([
    ['charge.refunded', 0],
    ['charge.refund.updated', LATER_MS],
    ['charge.refund.updated', LATER_MS + 10],
  ])
})
