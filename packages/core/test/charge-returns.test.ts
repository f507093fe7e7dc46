import { instant, sqlState } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openReturn } from '../src/charge-returns/store.ts'
import type { Charge } from '../src/charges/charge.ts'
import { deleteCustomer } from '../src/customers/erasure/delete.ts'
import { type ChargeReturnId, type CustomerId, mintId, uuidOf } from '../src/base/ids.ts'
import { FAILURES_MAX } from '../src/payouts/store.ts'
import { LEASE_MS } from '../src/queue/claim.ts'
import {
  ACME,
  declined,
  makeCharge,
  makeIntent,
  makeRail,
  makeRefunds,
  notSent,
  PAYER,
  PUSH,
  T0,
  type TestRefunds,
} from './make.ts'
import { instructReturns } from './passes.ts'
import { claimOf, openWorld, saveCharge, saveCustomer, saveIntent } from './world.ts'

const MINUTE_MS = 60_000

const world = await openWorld()
let refunds: TestRefunds
beforeEach(async () => {
  world.nowMs = T0 + MINUTE_MS
  world.alerts.length = 0
  world.fault = () => undefined
  refunds = makeRefunds()
  world.push.refunds = refunds
  await world.db.transact((tx) => tx.deleteFrom('return_jobs').execute())
})
afterAll(() => world.stop())

/** A charge that was paid beside another success of its intent. */
async function saveDuplicate(customerId: CustomerId | null = null): Promise<Charge<'duplicate'>> {
  const { id: intentId } = await saveIntent(world, makeIntent('succeeded', { customerId }))
  return saveCharge(world, makeCharge('duplicate', { intentId, customerId }))
}

async function open({ id: chargeId }: Charge): Promise<ChargeReturnId | null> {
  const id = mintId('rt', world.nowMs)
  const charge = { merchantId: ACME, chargeId, destination: PAYER }
  const { nowMs } = world
  const named = { charge, knownSinceMs: nowMs, requestId: 'req_1' }
  const wanted = { id, ...named, reference: id, submitDeadlineMs: nowMs + 7_000 }
  return (await openReturn(world.db.writer, wanted, nowMs)) === 'opened' ? id : null
}

async function opened(charge: Charge): Promise<ChargeReturnId> {
  const id = await open(charge)
  if (id === null) throw new Error('no return was made')
  return id
}

async function stateOf(id: ChargeReturnId) {
  const row = await world.db.reader
    .selectFrom('charge_returns as r')
    .leftJoin('return_jobs as j', 'j.return_id', 'r.id')
    .select(['r.instruction', 'r.failure_reason', 'r.destination_msisdn', 'r.rail_message', 'j.due_at'])
    .where('r.id', '=', uuidOf(id))
    .executeTakeFirstOrThrow()
  return {
    instruction: row.instruction,
    failure: row.failure_reason,
    number: row.destination_msisdn,
    hasJob: row.due_at !== null,
  }
}

const taken = { instruction: 'accepted', failure: null, number: null, hasJob: true }

describe('a return', () => {
  test('is of the whole charge, and is sent by the next pass', async () => {
    const charge = await saveDuplicate()
    const id = await opened(charge)
    expect(await stateOf(id)).toEqual({ instruction: 'unsent', failure: null, number: PAYER, hasJob: true })
    expect(await instructReturns(world)).toEqual({ claimed: 1, moved: 1 })
    expect(await stateOf(id)).toEqual(taken)
    expect(refunds.sent).toMatchObject([
      { reference: id, amountMinor: 1000, currency: 'XAF', destination: PAYER },
    ])
  })

  test('is left by a worker whose rail has no refunds yet to one whose rail has', async () => {
    const id = await opened(await saveDuplicate())
    const older = { ...world, rails: new Map([[PUSH, makeRail(PUSH)]]) }
    expect(await instructReturns(older)).toEqual({ claimed: 0, moved: 0 })
    world.nowMs += MINUTE_MS
    expect(await instructReturns(older)).toEqual({ claimed: 1, moved: 0 })
    expect(await stateOf(id)).toEqual({ instruction: 'unsent', failure: null, number: PAYER, hasJob: true })
    world.nowMs += MINUTE_MS
    await instructReturns(world)
    expect(await stateOf(id)).toEqual(taken)
  })

  test('that a worker tried in vain is not refused by one whose rail has no refunds', async () => {
    const id = await opened(await saveDuplicate())
    refunds.whenSent = () => notSent
    await instructReturns(world)
    const tried = await stateOf(id)
    await world.db.transact((tx) => tx.updateTable('return_jobs').set({ tries: 6 }).execute())
    world.nowMs += 2 * MINUTE_MS
    await instructReturns({ ...world, rails: new Map([[PUSH, makeRail(PUSH)]]) })
    expect(await stateOf(id)).toEqual(tried)
    world.nowMs += 60 * MINUTE_MS
    refunds.whenSent = () => ({ kind: 'accepted' })
    await instructReturns(world)
    expect(await stateOf(id)).toEqual(taken)
  })

  test.each(['succeeded', 'live', 'failed'] as const)('is never of a charge that is %s', async (status) => {
    const { id: intentId } = await saveIntent(world, makeIntent('processing'))
    expect(await open(await saveCharge(world, makeCharge(status, { intentId })))).toBeNull()
  })

  test('is the only one of its charge, until the rail refuses it', async () => {
    const charge = await saveDuplicate()
    const first = await opened(charge)
    expect(await open(charge)).toBeNull()
    refunds.whenSent = () => ({ kind: 'declined', decline: declined })
    await instructReturns(world)
    expect(await stateOf(first)).toMatchObject({ instruction: 'refused', failure: 'insufficient_funds' })
    refunds.whenSent = () => ({ kind: 'accepted' })
    const second = await opened(charge)
    await instructReturns(world)
    expect(await stateOf(second)).toEqual(taken)
    expect(await open(charge)).toBeNull()
  })

  test('that the rail queued and refuses then is refused, so that another can be made', async () => {
    const charge = await saveDuplicate()
    const first = await opened(charge)
    await instructReturns(world)
    expect(await stateOf(first)).toEqual(taken)
    refunds.whenAsked = () => ({ kind: 'failed', decline: declined })
    world.nowMs += MINUTE_MS
    await instructReturns(world)
    expect(await stateOf(first)).toMatchObject({ instruction: 'refused', failure: 'insufficient_funds' })
    expect(await open(charge)).not.toBeNull()
  })

  test('that the rail has paid is not asked for again', async () => {
    const id = await opened(await saveDuplicate())
    await instructReturns(world)
    refunds.whenAsked = () => ({ kind: 'succeeded', railTxnId: '1', amountMinor: 1000, currency: 'XAF' })
    world.nowMs += MINUTE_MS
    await instructReturns(world)
    expect(await stateOf(id)).toEqual({ ...taken, hasJob: false })
  })

  test.each(['amount = 1', `currency = 'EUR'`])(
    'cannot be changed to another amount or currency: %s',
    async (change) => {
      const id = await opened(await saveDuplicate())
      const changed = sql`update charge_returns set ${sql.raw(change)} where id = ${uuidOf(id)}::uuid`
      expect(await changed.execute(world.db.writer).catch(sqlState)).toBe('23514')
    },
  )

  test('whose refusal is not proven is kept, and no other is made beside it', async () => {
    const charge = await saveDuplicate()
    const id = await opened(charge)
    refunds.whenSent = () => ({ kind: 'refusal_unconfirmed', decline: declined })
    await instructReturns(world)
    expect(await stateOf(id)).toEqual({ instruction: 'sent', failure: null, number: PAYER, hasJob: true })
    expect(await open(charge)).toBeNull()
    refunds.whenAsked = () => ({ kind: 'pending' })
    world.nowMs += MINUTE_MS
    await instructReturns(world)
    expect(await stateOf(id)).toEqual(taken)
    expect(refunds.sent).toHaveLength(1)
  })

  test.each(['instruct.marked', 'instruct.rail_answered'] as const)(
    'whose worker dies at %s is queried before it is sent again',
    async (point) => {
      const id = await opened(await saveDuplicate())
      const died = Promise.withResolvers<void>()
      const hang = new Promise<never>(() => undefined)
      world.fault = (at) => {
        if (at === point) died.resolve()
      }
      refunds.whenSent = () => hang
      void instructReturns(world)
      if (point === 'instruct.marked') await died.promise
      else while (refunds.sent.length === 0) await new Promise(setImmediate)
      refunds.whenAsked = () => ({ kind: 'pending' })
      world.nowMs += LEASE_MS
      expect(await instructReturns(world)).toEqual({ claimed: 1, moved: 1 })
      expect(await stateOf(id)).toEqual(taken)
      expect(refunds.asked).toEqual([id])
    },
  )

  test('that cannot be written, or that somebody holds, delays no other', async () => {
    const held = await opened(await saveDuplicate())
    const other = await opened(await saveDuplicate())
    await world.db.transact(async (tx) => {
      await sql`select from charge_returns where id = ${uuidOf(held)}::uuid for update`.execute(tx)
      expect(await instructReturns(world)).toEqual({ claimed: 2, moved: 1 })
    })
    expect(await stateOf(other)).toEqual(taken)
    world.nowMs += MINUTE_MS
    expect(await instructReturns(world)).toMatchObject({ moved: 1 })
    expect(await stateOf(held)).toEqual(taken)
  })

  test('whose write meets the statement time-out is tried again, and never rests', async () => {
    const id = await opened(await saveDuplicate())
    const { owner } = world
    await sql`create function wait_in_vain() returns trigger language plpgsql as
      $$ begin raise exception 'too slow' using errcode = '57014'; end $$`.execute(owner.writer)
    await sql`create trigger wait_in_vain before update on charge_returns for each row
      execute function wait_in_vain()`.execute(owner.writer)
    const unblock = () => sql`drop function if exists wait_in_vain cascade`.execute(owner.writer)
    onTestFinished(async () => void (await unblock()))
    for (let pass = 0; pass <= FAILURES_MAX; pass += 1) {
      expect(await instructReturns(world)).toEqual({ claimed: 1, moved: 0 })
      world.nowMs += MINUTE_MS
    }
    await unblock()
    expect(await instructReturns(world)).toEqual({ claimed: 1, moved: 1 })
    expect(await stateOf(id)).toEqual(taken)
    expect(world.alerts).toEqual([])
  })

  test('that rests is woken by an operator', async () => {
    const id = await opened(await saveDuplicate())
    await sql`update return_jobs set rested_at = now()`.execute(world.db.writer)
    expect(await instructReturns(world)).toEqual({ claimed: 0, moved: 0 })
    await sql`select ops_wake_return(${id}, ${instant(world.nowMs)}::timestamptz)`.execute(world.db.writer)
    expect(await instructReturns(world)).toEqual({ claimed: 1, moved: 1 })
  })

  test('is named in its alerts', async () => {
    const id = await opened(await saveDuplicate())
    refunds.whenSent = () => ({
      kind: 'declined',
      decline: { ...declined, actor: 'merchant_config' },
    })
    await instructReturns(world)
    expect(world.alerts).toMatchObject([
      { name: 'rail_misconfigured', facts: { rail: PUSH, charge_return: id } },
    ])
  })

  test('raises an alert if its rail paid another amount', async () => {
    const id = await opened(await saveDuplicate())
    await instructReturns(world)
    refunds.whenAsked = () => ({ kind: 'succeeded', railTxnId: '7', amountMinor: 1, currency: 'XAF' })
    world.nowMs += 2 * MINUTE_MS
    await instructReturns(world)
    expect(world.alerts).toEqual([
      {
        name: 'refund_amount_mismatch',
        facts: { rail: PUSH, charge_return: id, reported_amount: 1, reported_currency: 'XAF' },
      },
    ])
  })
})

describe('an erasure of its customer', () => {
  const erase = (customerId: CustomerId) => deleteCustomer(world, claimOf().merchantId, customerId, 'req_2')

  test('clears the number of one that was not sent, which then fails; another is made with a new number', async () => {
    const customerId = await saveCustomer(world)
    const charge = await saveDuplicate(customerId)
    const id = await opened(charge)
    world.nowMs += 1_000
    await erase(customerId)
    expect(await stateOf(id)).toMatchObject({ number: null })
    await instructReturns(world)
    expect(await stateOf(id)).toMatchObject({ instruction: 'refused', failure: 'customer_erased' })
    expect(refunds.sent).toEqual([])
    world.nowMs += 1_000
    const again = await opened(charge)
    await instructReturns(world)
    expect(await stateOf(again)).toEqual(taken)
  })

  test('also clears the rail’s texts', async () => {
    const customerId = await saveCustomer(world)
    const id = await opened(await saveDuplicate(customerId))
    refunds.whenSent = () => ({ kind: 'declined', decline: declined })
    await instructReturns(world)
    await erase(customerId)
    const row = await world.db.reader
      .selectFrom('charge_returns')
      .select(['rail_code', 'rail_message'])
      .where('id', '=', uuidOf(id))
      .executeTakeFirst()
    expect(row).toEqual({ rail_code: '[redacted]', rail_message: '[redacted]' })
  })
})
