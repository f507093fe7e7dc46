import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { KeyClaim } from '../src/commit/key.ts'
import { idOf, type PaymentIntentId, type RefundId, uuidOf } from '../src/base/ids.ts'
import { createRefund } from '../src/refunds/create.ts'
import { renderRefund } from '../src/refunds/render.ts'
import { updateRefund } from '../src/refunds/update.ts'
import {
  declined,
  makeRail,
  makeRefunds,
  notSent,
  PAYER,
  PUSH,
  REDIRECT,
  T0,
  type TestRefunds,
  unknown,
} from './make.ts'
import { instructRefunds } from './passes.ts'
import {
  claimOf,
  creatingClaimOf,
  markErased,
  openWorld,
  orCode,
  readJob,
  readKey,
  readRefund,
  reservedOf,
  saveCustomer,
  savePaid,
  typesOf,
  untilWaiting,
} from './world.ts'

/** Longer than every deadline and hold of a request that died. */
const LONG_MS = 60_000

const world = await openWorld()
let refunds: TestRefunds
beforeEach(async () => {
  world.nowMs = T0
  world.alerts.length = 0
  world.fault = () => undefined
  refunds = makeRefunds()
  world.push.refunds = refunds
  // Removes the jobs that other tests left for the worker.
  await world.db.transact((tx) => tx.deleteFrom('refund_jobs').execute())
})
afterAll(() => world.stop())

const wanted = (intentId: PaymentIntentId, rail = PUSH) => ({
  paymentIntent: intentId,
  amountMinor: 400,
  reason: null,
  metadata: {},
  destination: { [rail]: { msisdn: PAYER } },
})

/** The refund's answer, or the code of its refusal. */
const refund = (claim: KeyClaim, intentId: PaymentIntentId, rail = PUSH, metadata = {}) =>
  orCode(createRefund(world, claim, { ...wanted(intentId, rail), metadata }))

async function refundIdOf(claim: KeyClaim): Promise<RefundId> {
  const key = await readKey(world, claim)
  return idOf('re', key?.resource_id ?? '')
}

/** The rows that a refund leaves once all commits of its request are done. */
async function remains(claim: KeyClaim) {
  const after = await readRefund(world, await refundIdOf(claim))
  const key = await readKey(world, claim)
  return {
    status: after.status,
    instruction: after.instruction,
    number: after.destination,
    held: await reservedOf(world, after.intentId),
    events: await typesOf(world, after.id),
    key: key?.status ?? 'released',
    keyHeld: key?.held_until ?? null,
  }
}

const told = ['charge.refunded']
const waiting = {
  status: 'pending',
  instruction: 'sent',
  number: PAYER,
  held: 400,
  events: told,
  key: 201,
  keyHeld: null,
}
const taken = { ...waiting, instruction: 'accepted', number: null }
const refusedOne = {
  ...taken,
  status: 'failed',
  instruction: 'refused',
  held: 0,
  events: [...told, 'charge.refund.updated'],
}

describe('the first commit', () => {
  test('waits for an erasure of its customer, which could miss its number otherwise', async () => {
    const customerId = await saveCustomer(world)
    const intent = await savePaid(world, { customerId })
    const claim = creatingClaimOf()
    let creating: ReturnType<typeof refund> | undefined
    await world.db.transact(async (tx) => {
      await tx.selectFrom('customers').select('id').where('id', '=', uuidOf(customerId)).forUpdate().execute()
      creating = refund(claim, intent.id)
      await untilWaiting(world)
      expect(await readKey(world, claim)).toBeUndefined()
    })
    expect(await creating).toMatchObject({ status: 201 })
  })
})

describe('the second commit', () => {
  test.each([
    ['accepted', { kind: 'accepted' }, taken],
    ['refused', { kind: 'declined', decline: declined }, refusedOne],
    ['not sent', notSent, { ...waiting, instruction: 'unsent' }],
    ['unknown', unknown, waiting],
    ['a refusal that it does not prove', { kind: 'refusal_unconfirmed', decline: declined }, waiting],
  ] as const)('of an answer that is %s', async (_, outcome, expected) => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    refunds.whenSent = () => outcome
    const answer = await refund(claim, intent.id)
    expect(await remains(claim)).toEqual(expected)
    const id = await refundIdOf(claim)
    const asWritten = {
      ...renderRefund(await readRefund(world, id)),
      status: 'pending',
      failure_reason: null,
    }
    const body = JSON.stringify(asWritten)
    expect(answer).toEqual({ status: 201, body, shouldRetry: null, replayed: false })
    expect((await readKey(world, claim))?.body).toBe(body)
    expect(await refund(claim, intent.id)).toEqual({ status: 201, body, shouldRetry: null, replayed: true })
    expect(refunds.sent).toHaveLength(1)
  })

  test('of an adapter that throws is an alert, and proves nothing', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    refunds.whenSent = () => Promise.reject(new TypeError('a bug'))
    expect(await refund(claim, intent.id)).toMatchObject({ status: 201 })
    expect(await remains(claim)).toEqual(waiting)
    expect(world.alerts).toEqual([
      {
        name: 'rail_adapter_fault',
        facts: { rail: PUSH, refund: await refundIdOf(claim), error: 'TypeError' },
      },
    ])
  })

  test('is written beside a change of metadata made meanwhile', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    refunds.whenSent = async () => {
      await updateRefund(world, claimOf(), await refundIdOf(claim), { seen: 'yes' })
      return { kind: 'declined', decline: declined }
    }
    const answer = await refund(claim, intent.id)
    expect(answer).toMatchObject({ status: 201, body: expect.stringContaining('"metadata":{}') })
    expect(await remains(claim)).toMatchObject({ status: 'failed', held: 0, key: 201 })
    const { metadata } = await readRefund(world, await refundIdOf(claim))
    expect(metadata).toEqual({ seen: 'yes' })
  })

  test('of a refusal that comes after an operator has ruled keeps the ruling for the worker', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    refunds.whenSent = async () => {
      const id = await refundIdOf(claim)
      await sql`select ops_resolve_payout(${id}, 'paid', 'statement', 'ada')`.execute(world.db.writer)
      return { kind: 'declined', decline: declined }
    }
    expect(await refund(claim, intent.id)).toMatchObject({ status: 201 })
    expect(await remains(claim)).toEqual(refusedOne)
    const id = await refundIdOf(claim)
    world.nowMs += LONG_MS
    await instructRefunds(world)
    expect(world.alerts).toEqual([{ name: 'refund_paid_after_failure', facts: { rail: PUSH, refund: id } }])
    expect([refunds.asked, await readJob(world, id)]).toEqual([[], null])
  })

  test('of a refusal that comes after the worker has sent it again fails nothing', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    const lateAnswer = Promise.withResolvers<typeof unknown>()
    refunds.whenSent = () => {
      refunds.whenSent = () => unknown
      return lateAnswer.promise
    }
    const running = refund(claim, intent.id)
    while (refunds.sent.length === 0) await new Promise(setImmediate)
    world.nowMs += LONG_MS
    await instructRefunds(world)
    expect(refunds.sent).toHaveLength(2)
    lateAnswer.resolve({ kind: 'declined', decline: declined } as never)
    await running
    expect(await remains(claim)).toMatchObject({
      status: 'pending',
      instruction: 'sent',
      held: 400,
      key: 201,
    })
  })

  test('of a customer erased meanwhile keeps none of the rail’s words', async () => {
    const customerId = await saveCustomer(world)
    const intent = await savePaid(world, { customerId })
    const claim = creatingClaimOf()
    refunds.whenSent = async () => {
      await markErased(world.db.writer, customerId)
      return { kind: 'declined', decline: declined }
    }
    await refund(claim, intent.id)
    expect(await readRefund(world, await refundIdOf(claim))).toMatchObject({
      status: 'failed',
      railCode: '[redacted]',
      railMessage: '[redacted]',
    })
  })
})

describe('a process that dies', () => {
  /** A refund whose process dies at the call of the rail. */
  async function dieSending(claim: KeyClaim, intentId: PaymentIntentId, metadata = {}): Promise<void> {
    const { promise: sending, resolve } = Promise.withResolvers<void>()
    refunds.whenSent = () => {
      resolve()
      return new Promise(() => undefined)
    }
    void refund(claim, intentId, PUSH, metadata)
    await sending
    refunds.whenSent = () => ({ kind: 'accepted' })
  }

  test('leaves the refund written, its amount held, its key in flight and the instruction to the worker', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    await dieSending(claim, intent.id)
    expect(await remains(claim)).toMatchObject({ ...waiting, key: 'released', keyHeld: expect.any(Number) })
    expect(await refund(claim, intent.id)).toBe('idempotency_key_in_flight')
    expect(await instructRefunds(world)).toEqual({ claimed: 0, moved: 0 })
  })

  test('has written the refund, the reservation, the event and the key in one transaction [§4.5.1, §6.2]', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    await dieSending(claim, intent.id)
    const id = uuidOf(await refundIdOf(claim))
    const { rows } = await sql`
      select count(*)::integer as rows, count(distinct xid)::integer as writers from (
        select xmin::text as xid from refunds where id = ${id}::uuid
        union all select xmin::text from payment_intents where id = ${uuidOf(intent.id)}::uuid
        union all select xmin::text from idempotency_keys where key = ${claim.key}
        union all select xmin::text from events where body::json->'data'->'object'->>'id' = ${idOf('re', id)}) w`.execute(
      world.db.writer,
    )
    expect(rows).toEqual([{ rows: 4, writers: 1 }])
  })

  test('a repeated request then continues the refund: nothing is written, reserved, announced or sent twice', async () => {
    const intent = await savePaid(world, { amountMinor: 400 })
    const claim = creatingClaimOf()
    await dieSending(claim, intent.id)
    const id = await refundIdOf(claim)
    const body = JSON.stringify(renderRefund(await readRefund(world, id)))
    world.nowMs += LONG_MS
    expect(await refund(claim, intent.id)).toEqual({ status: 201, body, shouldRetry: null, replayed: false })
    expect(await refund(claim, intent.id)).toMatchObject({ body, replayed: true })
    expect(refunds.sent).toHaveLength(1)
    expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 1 })
    expect(await remains(claim)).toEqual(taken)
    expect(refunds.sent.map(({ reference }) => reference)).toEqual(
      Array.from({ length: 2 }, () => refunds.asked[0]),
    )
  })

  test('a repeated request then shows its own metadata, and not that of a later update', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    await dieSending(claim, intent.id, { order: '42' })
    await updateRefund(world, claimOf(), await refundIdOf(claim), { order: '43' })
    world.nowMs += LONG_MS
    expect(await refund(claim, intent.id, PUSH, { order: '42' })).toMatchObject({
      status: 201,
      body: expect.stringContaining('"metadata":{"order":"42"}'),
    })
    expect((await readRefund(world, await refundIdOf(claim))).metadata).toEqual({ order: '43' })
  })

  test('of forty repeated requests at once, one finishes the key, and all give its answer', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    await dieSending(claim, intent.id)
    world.nowMs += LONG_MS
    const answers = await Promise.all(Array.from({ length: 40 }, () => refund(claim, intent.id)))
    expect(new Set(answers.map((answer) => (typeof answer === 'string' ? answer : answer.body))).size).toBe(1)
    expect(await typesOf(world, await refundIdOf(claim))).toEqual(told)
  })

  test('a repeated request after a refusal that the worker recorded still shows the refund as first written', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    await dieSending(claim, intent.id)
    world.nowMs += LONG_MS
    refunds.whenAsked = () => ({ kind: 'failed', decline: declined })
    await instructRefunds(world)
    expect(await refund(claim, intent.id)).toMatchObject({
      status: 201,
      body: expect.stringContaining('"status":"pending"'),
    })
    expect(await remains(claim)).toEqual(refusedOne)
  })

  test.each([
    ['a fault of ours', new Error('a bug')],
    ['a 503', new Refusal('service_unavailable', 'busy')],
  ])('%s after the rail was called releases the key, with its link', async (_, error) => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    world.fault = (point) => {
      if (point === 'refund.rail_answered') throw error
    }
    await expect(createRefund(world, claim, wanted(intent.id))).rejects.toBe(error)
    expect(await remains(claim)).toMatchObject({ ...waiting, key: 'released', keyHeld: null })
    world.fault = () => undefined
    expect(await refund(claim, intent.id)).toMatchObject({ status: 201 })
    expect(refunds.sent).toHaveLength(1)
  })
})

describe('on a rail without refunds', () => {
  const paidByRedirect = () => savePaid(world, {}, { rail: REDIRECT })
  const unsupported = { ...refusedOne, key: 'released' }

  test('the refund is written with its event, fails with a second event, and the key is released', async () => {
    const intent = await paidByRedirect()
    const claim = creatingClaimOf()
    for (let n = 0; n < 3; n += 1) expect(await refund(claim, intent.id, REDIRECT)).toBe('not_supported')
    expect(await remains(claim)).toEqual(unsupported)
  })

  test.each(['the same request', 'the worker'])(
    'after a death before the refund has failed, %s fails it',
    async (who) => {
      const intent = await paidByRedirect()
      const claim = creatingClaimOf()
      world.fault = (point) => {
        if (point === 'refund.committed') throw new Error('dies')
      }
      await expect(refund(claim, intent.id, REDIRECT)).rejects.toThrow('dies')
      world.fault = () => undefined
      expect(await remains(claim)).toMatchObject({ status: 'pending', instruction: 'unsent', held: 400 })
      if (who === 'the worker') {
        // Six rungs, on which a worker with a newer configuration could still send it.
        for (const moved of [0, 0, 0, 0, 0, 0, 1]) {
          world.nowMs += 16 * LONG_MS
          expect(await instructRefunds(world)).toEqual({ claimed: 1, moved })
        }
      }
      expect(await refund(claim, intent.id, REDIRECT)).toBe('not_supported')
      expect(await remains(claim)).toEqual(unsupported)
    },
  )

  test('a rail whose currency was changed counts as one without refunds: 400 francs are not 4 euros', async () => {
    const intent = await savePaid(world)
    const euros = { ...makeRail(PUSH, { settlementCurrency: 'EUR' }), refunds }
    const claim = creatingClaimOf()
    const create = createRefund({ ...world, rails: new Map([[PUSH, euros]]) }, claim, wanted(intent.id))
    expect(await orCode(create)).toBe('not_supported')
    expect(await remains(claim)).toEqual(unsupported)
    expect(refunds.sent).toEqual([])
  })

  test('a repeated request leaves the refund to the worker, if a process with refunds has sent it before', async () => {
    const intent = await savePaid(world)
    const claim = creatingClaimOf()
    world.push.refunds = null
    world.fault = (point) => {
      if (point === 'refund.committed') throw new Error('dies')
    }
    await expect(refund(claim, intent.id)).rejects.toThrow('dies')
    world.fault = () => undefined
    // A worker with a newer configuration.
    world.push.refunds = refunds
    refunds.whenSent = () => notSent
    world.nowMs += LONG_MS
    await instructRefunds(world)
    expect(refunds.sent).toHaveLength(1)

    world.push.refunds = null
    expect(await refund(claim, intent.id)).toMatchObject({ status: 201 })
    expect(await remains(claim)).toEqual({ ...waiting, instruction: 'unsent' })

    world.push.refunds = refunds
    refunds.whenSent = () => ({ kind: 'accepted' })
    world.nowMs += LONG_MS
    await instructRefunds(world)
    expect(await remains(claim)).toEqual(taken)
  })
})
