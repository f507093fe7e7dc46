import type { Database } from '@merchant-payments/db'
import { holdTransaction } from '@merchant-payments/testing'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type CustomerId, type PaymentIntentId, uuidOf } from '../src/base/ids.ts'
import type { StaffRequest } from '../src/audit/change.ts'
import { returnCharge } from '../src/charge-returns/staff/changes.ts'
import { fingerprintOf } from '../src/commit/key.ts'
import { beginDelete, deleteCustomer } from '../src/customers/erasure/delete.ts'
import { eraseIdleCustomers } from '../src/customers/erasure/retention.ts'
import { approveRequest } from '../src/decisions/changes.ts'
import { createRefund } from '../src/refunds/create.ts'
import { refundStaffIntent } from '../src/refunds/staff/changes.ts'
import { ACME, makeCharge, makeRefunds, PAYER, PUSH, T0, type TestRefunds, unknown } from './make.ts'
import { instructRefunds } from './passes.ts'
import {
  claimOf,
  finishAll,
  openWorld,
  payerPlacesOf,
  saveCharge,
  saveCustomer,
  savePaid,
  untilWaiting,
} from './world.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

const world = await openWorld()
let refunds: TestRefunds
beforeEach(async () => {
  world.nowMs = T0
  world.fault = () => undefined
  refunds = makeRefunds()
  // The rail does not say whether it has the refund, so the refund keeps its number.
  refunds.whenSent = () => unknown
  world.push.refunds = refunds
  await world.db.transact((tx) => tx.deleteFrom('refund_jobs').execute())
})
afterAll(() => world.stop())

const refund = (paymentIntent: PaymentIntentId) =>
  createRefund(world, claimOf(), {
    paymentIntent,
    amountMinor: 400,
    reason: null,
    metadata: {},
    destination: { [PUSH]: { msisdn: PAYER } },
  })

const erase = (id: CustomerId) => deleteCustomer(world, ACME, id, 'req_1')

async function savePayer() {
  const customerId = await saveCustomer(world)
  return { customerId, intentId: (await savePaid(world, { customerId })).id }
}

/** The refunds of a customer that have a number, and whether each is later than the erasure. */
async function numbersOf(id: CustomerId): Promise<boolean[]> {
  const { rows } = await sql<{ later: boolean }>`
    select r.opened_at > c.erased_at as later from refunds r
    join customers c on c.merchant_id = r.merchant_id and c.id = r.customer_id
    where c.id = ${uuidOf(id)}::uuid and r.destination_msisdn is not null`.execute(world.db.writer)
  return rows.map(({ later }) => later)
}

describe('a refund that is committed before its customer’s erasure loses its number [§3.2]', () => {
  test('if the DELETE had to wait for the customer', async () => {
    const { customerId, intentId } = await savePayer()
    const commit = await holdTransaction(world.db, (tx) =>
      sql`select from customers where id = ${uuidOf(customerId)}::uuid for key share`.execute(tx),
    )
    const erased = erase(customerId)
    await untilWaiting(world)
    world.nowMs += 2_000
    await refund(intentId)
    await commit()
    await erased
    await finishAll(world)
    expect(await numbersOf(customerId)).toEqual([])
  })

  test('if the retention sweep had begun before with another customer', async () => {
    const first = await saveCustomer(world)
    const { customerId, intentId } = await savePayer()
    const idle = { [first]: 400, [customerId]: 399 }
    for (const [id, days] of Object.entries(idle)) {
      const usedAt = new Date(T0 - days * DAY_MS).toISOString()
      await sql`update customers set last_used_at = ${usedAt}::timestamptz
        where id = ${uuidOf(id as CustomerId)}::uuid`.execute(world.owner.writer)
    }
    let made: Promise<unknown> | undefined
    world.fault = (point) => {
      if (point !== 'erase.begun' || made !== undefined) return
      world.nowMs += 60_000
      made = refund(intentId)
    }
    // The sweep goes on once the refund is committed.
    const db: Database = { ...world.db, transact: async (work) => (await made, world.db.transact(work)) }
    expect(await eraseIdleCustomers({ ...world, db })).toMatchObject({ begun: 2 })
    await finishAll(world)
    expect(await numbersOf(customerId)).toEqual([])
  })
})

describe('a refund that waits while its customer is erased', () => {
  test('is later than the erasure, and keeps its number until the rail has it [§3.2]', async () => {
    const { customerId, intentId } = await savePayer()
    const commit = await holdTransaction(world.db, (tx) =>
      sql`select from payment_intents where id = ${uuidOf(intentId)}::uuid for update`.execute(tx),
    )
    const made = refund(intentId)
    await untilWaiting(world)
    world.nowMs += 2_000
    await erase(customerId)
    await commit()
    expect((await made).status).toBe(200)
    expect(await numbersOf(customerId)).toEqual([true])
    refunds.whenAsked = () => ({ kind: 'pending' })
    world.nowMs += 60_000
    await instructRefunds(world)
    expect(await payerPlacesOf(world)).toEqual([])
  })

  test('is later than it, also if the erasure’s process has a clock that is ahead', async () => {
    const { customerId, intentId } = await savePayer()
    await deleteCustomer({ ...world, clock: () => T0 + 500 }, ACME, customerId, 'req_1')
    expect((await refund(intentId)).status).toBe(200)
    expect(await numbersOf(customerId)).toEqual([true])
  })
})

describe('a number that was stored before an erasure that has only begun [§3.2]', () => {
  const OTHER = '237670000002'
  const staff = { ...world, staffLimits: {} }
  let keys = 0
  const requestOf = (subject: string): StaffRequest => ({
    staff: { subject, name: subject, role: 'admin' },
    reason: 'A test.',
    requestId: 'req_1',
    key: `staff-${++keys}`,
    fingerprint: fingerprintOf('POST', '/x', new Uint8Array()),
  })
  const refundAsStaff = (intentId: PaymentIntentId, msisdn: string | null) =>
    refundStaffIntent(staff, requestOf('omar'), intentId, {
      amountMinor: 400,
      msisdn,
      seenReservedMinor: null,
    })
  const approve = (id: unknown) => approveRequest(staff, requestOf('ada'), String(id))

  /** No copy is cleared yet. */
  const begin = (id: CustomerId) =>
    world.db.transact(async (tx) => {
      world.nowMs += 1_000
      await beginDelete(world, tx, { merchantId: ACME, id, requestId: 'req_1' })
      world.nowMs += 1_000
    })

  async function payoutsTo(msisdn: string) {
    const { rows } = await sql`select destination_msisdn from refunds where destination_msisdn = ${msisdn}
      union all select destination_msisdn from charge_returns where destination_msisdn = ${msisdn}`.execute(
      world.db.writer,
    )
    return rows.length
  }

  test('is paid by no refund of staff', async () => {
    const { customerId, intentId } = await savePayer()
    await begin(customerId)
    const before = await payoutsTo(PAYER)
    await expect(refundAsStaff(intentId, null)).rejects.toMatchObject({ param: 'msisdn' })
    expect(await payoutsTo(PAYER)).toBe(before)
  })

  test('is paid by no refund that another member approves', async () => {
    const { customerId, intentId } = await savePayer()
    const { entry } = await refundAsStaff(intentId, OTHER)
    await begin(customerId)
    await expect(approve(entry.after?.['approval'])).rejects.toMatchObject({ code: 'approval_obsolete' })
    expect(await payoutsTo(OTHER)).toBe(0)
  })

  test('is paid by no return of a duplicate charge', async () => {
    const { customerId, intentId } = await savePayer()
    const { id } = await saveCharge(world, makeCharge('duplicate', { intentId, customerId }))
    await begin(customerId)
    const before = await payoutsTo(PAYER)
    await expect(returnCharge(staff, requestOf('omar'), id, null)).rejects.toMatchObject({ param: 'msisdn' })
    expect(await payoutsTo(PAYER)).toBe(before)
  })

  test('is not that of a request after it, which is later also if the erasure’s clock is ahead', async () => {
    const { customerId, intentId } = await savePayer()
    await deleteCustomer({ ...world, clock: () => T0 + 500 }, ACME, customerId, 'req_1')
    await refundAsStaff(intentId, OTHER)
    const { rows } = await sql<{ later: boolean }>`
      select a.requested_at > c.erased_at as later from approval_requests a
      join customers c on c.merchant_id = a.merchant_id and c.id = a.customer_id
      where c.id = ${uuidOf(customerId)}::uuid and a.destination_msisdn is not null`.execute(world.db.writer)
    expect(rows).toEqual([{ later: true }])
  })
})
