import { holdRows } from '@merchant-payments/db'
import { withClient } from '@merchant-payments/testing/client'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mintId } from '../src/base/ids.ts'
import { openReturn } from '../src/charge-returns/store.ts'
import { deleteCustomer } from '../src/customers/erasure/delete.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import {
  ACME,
  makeCharge,
  makeIntent,
  makeRefund,
  makeRefunds,
  paid,
  PAYER,
  PUSH,
  REDIRECT,
  type TestRefunds,
} from './make.ts'
import { instructRefunds, instructReturns, settleCharges } from './passes.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  openWorld,
  orCode,
  readIntent,
  readRefund,
  reservedOf,
  saveCharge,
  saveCustomer,
  saveIntent,
  savePaid,
  saveRefund,
} from './world.ts'

const HOUR_MS = 3_600_000

const world = await openWorld()
let refunds: TestRefunds
beforeEach(async () => {
  world.nowMs = Date.now()
  world.alerts.length = 0
  for (const rail of [world.push, world.redirect]) {
    rail.asked.length = 0
    rail.submitted.length = 0
  }
  refunds = makeRefunds()
  world.push.refunds = refunds
  await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
})
afterAll(() => world.stop())

const holdAll = () =>
  withClient(world.appUrl, (client) => holdRows(client, new Date(world.nowMs).toISOString()))

/** A charge whose submit was under way at the restored time, an hour ago. */
async function saveSubmitting(rail: typeof PUSH) {
  const openedAtMs = world.nowMs - HOUR_MS
  const intent = await saveIntent(
    world,
    makeIntent('requires_payment_method', { paymentMethodTypes: [rail] }),
  )
  const times = { openedAtMs, submitDeadlineMs: openedAtMs + 7_000, nextQueryAtMs: openedAtMs + 7_000 }
  const charge = await saveCharge(
    world,
    makeCharge('submitting', { rail, intentId: intent.id, railToken: null, ...times }),
  )
  return { intent, charge }
}

const statusesOf = async ({ id }: { id: Parameters<typeof chargesOf>[1] }) =>
  (await chargesOf(world, id)).map(({ status }) => status)

const confirm = ({ id }: { id: Parameters<typeof confirmIntent>[2] }) =>
  orCode(confirmIntent(world, claimOf(), id, confirmation(REDIRECT)))

describe('a charge whose submit was under way at the restored time', () => {
  test('is not abandoned on a rail that answers for a token alone: it is named until a person rules, and nobody pays again', async () => {
    const { intent, charge } = await saveSubmitting(REDIRECT)
    expect(await holdAll()).toEqual([
      { object: charge.id, rail: REDIRECT, reference: charge.reference, merchantId: ACME },
    ])
    await settleCharges(world)
    expect(await statusesOf(intent)).toEqual(['unconfirmed'])
    expect(world.redirect.asked).toEqual([])
    expect(world.alerts).toEqual([{ name: 'charge_stuck', facts: { charge: charge.id, rail: REDIRECT } }])
    expect(await confirm(intent)).toBe('charge_in_progress')
    world.nowMs += HOUR_MS
    await settleCharges(world)
    expect(await statusesOf(intent)).toEqual(['unconfirmed'])
    await sql`select from ops_resolve_charge(${charge.id}, 'succeeded', 'statement', 'ada', 'OM-4711')`.execute(
      world.db.writer,
    )
    world.nowMs += HOUR_MS
    await settleCharges(world)
    expect([await statusesOf(intent), (await readIntent(world, intent.id))?.status]).toEqual([
      ['succeeded'],
      'succeeded',
    ])
  })

  test('is not held if it was opened after the restore', async () => {
    const { intent } = await saveSubmitting(REDIRECT)
    const earlier = new Date(world.nowMs - 2 * HOUR_MS).toISOString()
    expect(await withClient(world.appUrl, (client) => holdRows(client, earlier))).toEqual([])
    expect(await statusesOf(intent)).toEqual(['submitting'])
  })

  test('is asked about on another rail, as it was before', async () => {
    const { intent } = await saveSubmitting(PUSH)
    world.push.whenAsked = () => paid
    await holdAll()
    await settleCharges(world)
    expect(await statusesOf(intent)).toEqual(['succeeded'])
    expect(world.alerts).toEqual([])
  })
})

describe('a refund that was unsent at the restored time', () => {
  const saveUnsent = async () => {
    const customerId = await saveCustomer(world)
    const { id: intentId } = await savePaid(world, { customerId })
    const terms = { intentId, customerId, instruction: 'unsent', openedAtMs: world.nowMs - HOUR_MS } as const
    const refund = await saveRefund(world, makeRefund('pending', terms), { dueAtMs: world.nowMs })
    return { refund, intentId, customerId }
  }

  const instructAll = async () => {
    for (let hour = 0; hour < 5; hour += 1) {
      world.nowMs += HOUR_MS
      await instructRefunds(world)
    }
  }

  test('stands if its rail has paid it since, also when its customer is deleted again', async () => {
    const { refund, intentId, customerId } = await saveUnsent()
    refunds.whenAsked = () => ({ ...paid, amountMinor: refund.amountMinor, currency: 'XAF' })
    await deleteCustomer(world, ACME, customerId, 'req_1')
    expect(await holdAll()).toMatchObject([{ object: refund.id, reference: refund.reference }])
    await instructAll()
    expect(await readRefund(world, refund.id)).toMatchObject({ status: 'pending', instruction: 'accepted' })
    expect([refunds.sent.length, await reservedOf(world, intentId)]).toEqual([0, refund.amountMinor])
  })

  test('fails if its rail does not have it and its customer is deleted', async () => {
    const { refund, customerId } = await saveUnsent()
    refunds.whenAsked = () => ({ kind: 'not_found' })
    await deleteCustomer(world, ACME, customerId, 'req_1')
    await holdAll()
    await instructAll()
    expect(await readRefund(world, refund.id)).toMatchObject({ failureReason: 'customer_erased' })
    expect(refunds.sent).toEqual([])
  })

  test('is sent under its own reference if its rail does not have it', async () => {
    const { refund } = await saveUnsent()
    refunds.whenAsked = () => ({ kind: 'not_found' })
    await holdAll()
    world.nowMs += 1_000
    await instructRefunds(world)
    expect(refunds.asked).toHaveLength(1)
    expect(refunds.sent).toMatchObject([{ reference: refund.reference }])
  })
})

test('a return that was unsent is asked about too', async () => {
  const { id: intentId } = await saveIntent(world, makeIntent('succeeded'))
  const { id: chargeId } = await saveCharge(world, makeCharge('duplicate', { intentId }))
  const id = mintId('rt', world.nowMs)
  const charge = { merchantId: ACME, chargeId, destination: PAYER }
  const terms = {
    reference: id,
    submitDeadlineMs: world.nowMs,
    knownSinceMs: world.nowMs,
    requestId: 'req_1',
  }
  expect(await openReturn(world.db.writer, { id, charge, ...terms }, world.nowMs)).toBe('opened')
  refunds.whenAsked = () => paid
  expect(await holdAll()).toMatchObject([{ object: id, reference: id }])
  world.nowMs += HOUR_MS
  await instructReturns(world)
  expect([refunds.asked, refunds.sent]).toEqual([[id], []])
})

describe('of merchants that were moving at the restored time', () => {
  const setMove = (state: string) => sql`
    insert into merchant_moves (merchant_id, state, move_id, other_cell) values (${ACME}, ${state}, gen_random_uuid(), 'cell_b')`
  beforeEach(async () => {
    await sql`create trigger a_merchant_move before insert or update or delete on charges
      for each row execute function refuse_while_moving()`.execute(world.owner.writer)
  })
  afterEach(async () => {
    await sql`delete from merchant_moves`.execute(world.owner.writer)
    await sql`drop trigger a_merchant_move on charges`.execute(world.owner.writer)
  })

  test.each(['draining', 'frozen'])('rows of one that is %s are held: it may come back', async (state) => {
    const { intent, charge } = await saveSubmitting(REDIRECT)
    await setMove(state).execute(world.owner.writer)
    expect(await holdAll()).toMatchObject([{ object: charge.id }])
    expect(await statusesOf(intent)).toEqual(['unconfirmed'])
  })

  test.each(['left', 'arriving'])('rows of one that is %s stay: they are a copy', async (state) => {
    const { intent } = await saveSubmitting(REDIRECT)
    await setMove(state).execute(world.owner.writer)
    expect(await holdAll()).toEqual([])
    expect(await statusesOf(intent)).toEqual(['submitting'])
  })
})
