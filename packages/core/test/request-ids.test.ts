import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { claimDeliveries } from '../src/deliveries/claim-store.ts'
import { fanOut } from '../src/deliveries/store.ts'
import { createCustomer } from '../src/customers/create.ts'
import { findDueFanouts } from '../src/events/store.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { LEASE_MS } from '../src/queue/claim.ts'
import { accepted, declined, makeIntent, paid, PUSH, T0 } from './make.ts'
import { settleCharges } from './passes.ts'
import { claimOf, confirmation, openWorld, saveIntent } from './world.ts'

const world = await openWorld()
beforeEach(async () => {
  world.nowMs = T0
  await sql`truncate events, charges cascade`.execute(world.owner.writer)
})
afterAll(() => world.stop())

const saveWaiting = () => saveIntent(world, makeIntent('requires_payment_method'))
const written = async () =>
  (await world.db.reader.selectFrom('events').select(['type', 'request_id']).orderBy('id').execute()).map(
    ({ type, request_id }) => [type, request_id],
  )

test('an event names the request that wrote it', async () => {
  const [first, second] = [await saveWaiting(), await saveWaiting()]
  const [create, cancel, confirm] = [claimOf(), claimOf(), claimOf()]
  await createCustomer(world, create, { name: 'Ada' })
  await cancelIntent(world, cancel, first.id, null)
  world.push.whenSubmitted = async () => ({ kind: 'declined', decline: declined })
  await confirmIntent(world, confirm, second.id, confirmation(PUSH))

  expect(await written()).toEqual([
    ['customer.created', create.requestId],
    ['payment_intent.canceled', cancel.requestId],
    ['payment_intent.payment_failed', confirm.requestId],
  ])
})

test('an event of the settle pass and the job of its delivery name the request of the confirm', async () => {
  const intent = await saveWaiting()
  const confirm = claimOf()
  world.push.whenSubmitted = async () => accepted
  await confirmIntent(world, confirm, intent.id, confirmation(PUSH))
  world.push.whenAsked = async () => paid
  world.nowMs = T0 + 60_000
  await settleCharges(world)

  expect(await written()).toEqual([['payment_intent.succeeded', confirm.requestId]])
  const order = { nowMs: world.nowMs, limit: 10, leaseUntilMs: world.nowMs + LEASE_MS }
  const events = await findDueFanouts(world.db.reader, world.nowMs, 10)
  await fanOut(world.db.writer, events, () => ['main'], world.nowMs)
  const jobs = await claimDeliveries(world.db.writer, order, [], { behind: null })
  expect(jobs.map(({ requestId }) => requestId)).toEqual([confirm.requestId])
})
