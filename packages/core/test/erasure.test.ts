import { within } from '@merchant-payments/db'
import { holdTransaction } from '@merchant-payments/testing'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { planFailure } from '../src/payment-intents/plan-charge.ts'
import { collectPayerNumbers } from '../src/payer-numbers/collect.ts'
import { deleteCustomer } from '../src/customers/erasure/delete.ts'
import { lockCustomer } from '../src/customers/store.ts'
import { claimDeliveries } from '../src/deliveries/claim-store.ts'
import { fanOut, finishAttempts } from '../src/deliveries/store.ts'
import { beginErasure, eraseOn } from '../src/customers/erasure/erase.ts'
import { REFERRING } from '../src/customers/erasure/jobs-store.ts'
import { findDueFanouts } from '../src/events/store.ts'
import { finishKey } from '../src/commit/answers.ts'
import { type CustomerId, uuidOf } from '../src/base/ids.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { recordRaised } from '../src/attention/record.ts'
import { renderPaymentIntent } from '../src/payment-intents/render.ts'
import type { Transition } from '../src/payment-intents/transition.ts'
import { writeTransitions } from '../src/payment-intents/transitions.ts'
import { LEASE_MS } from '../src/queue/claim.ts'
import { accepted, ACME, declined, exhausted, makeCharge, makeIntent, notSent, PAYER, T0 } from './make.ts'
import { settleCharges } from './passes.ts'
import {
  claimOf,
  confirmation,
  finishAll,
  openWorld,
  payerPlacesOf,
  readCharge,
  readIntent,
  readKey,
  saveCharge,
  saveCustomer,
  saveIntent,
  typesOf,
  untilWaiting,
} from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const WORDS = `${PAYER} has too little`
const named = { ...declined, railCode: `FOR_${PAYER}`, railMessage: WORDS }

const erase = (id: CustomerId) => deleteCustomer(world, ACME, id, 'req_1')

async function saveWaiting(fields: Parameters<typeof makeIntent>[1] = {}) {
  const customerId = await saveCustomer(world)
  return {
    customerId,
    intent: await saveIntent(world, makeIntent('requires_payment_method', { customerId, ...fields })),
  }
}

const refusedBefore = {
  lastPaymentError: { code: 'declined', declineCode: `FOR_${PAYER}`, message: WORDS, rail: declinedRail() },
} as const

function declinedRail() {
  return makeCharge('failed').rail
}

describe('a customer erased while a confirm runs', () => {
  test('before the rail refuses: nothing that the rail says is kept [§3.2]', async () => {
    const { customerId, intent } = await saveWaiting()
    const claim = claimOf()
    world.push.whenSubmitted = async () => {
      await erase(customerId)
      return { kind: 'declined', decline: named }
    }
    const answer = await confirmIntent(world, claim, intent.id, confirmation())
    expect(answer.status).toBe(200)
    expect(await payerPlacesOf(world)).toEqual([])
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.payment_failed'])
    const after = await readIntent(world, intent.id)
    expect(after?.lastPaymentError).toMatchObject({ declineCode: '[redacted]', message: '[redacted]' })
    expect((await readKey(world, claim))?.body).toBe(JSON.stringify(after && renderPaymentIntent(after)))
    const replayed = await confirmIntent(world, claim, intent.id, confirmation())
    expect(JSON.parse(replayed.body)).toMatchObject({ last_payment_error: { message: '[redacted]' } })
  })

  test('after the rail has refused: what was kept is taken back [§3.2]', async () => {
    const { customerId, intent } = await saveWaiting()
    world.push.whenSubmitted = () => ({ kind: 'declined', decline: named })
    await confirmIntent(world, claimOf(), intent.id, confirmation())
    world.nowMs += 10 * 60_000
    await collectPayerNumbers(world)
    expect(await payerPlacesOf(world)).toEqual(
      expect.arrayContaining([
        'public.charges',
        'public.idempotency_keys',
        'public.payer_numbers',
        'public.payment_intents',
      ]),
    )
    await erase(customerId)
    expect(await payerPlacesOf(world)).toEqual([])
  })

  test('before the worker hears of the refusal: nothing of it is kept, and the charge settles', async () => {
    const { customerId, intent } = await saveWaiting()
    const waiting = await readIntent(world, intent.id)
    const charge = await saveCharge(
      world,
      makeCharge('unconfirmed', { intentId: intent.id, customerId, nextQueryAtMs: T0 }),
    )
    world.push.whenAsked = async () => {
      await erase(customerId)
      return { kind: 'failed', decline: named }
    }
    world.nowMs = T0 + 1_000
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
    expect(await payerPlacesOf(world)).toEqual([])
    expect(await readCharge(world, charge.id)).toMatchObject({ status: 'failed', railMessage: '[redacted]' })
    expect(waiting?.customerId).toBe(customerId)
  })
})

test('the alert about a misconfigured rail contains no text of the rail, because no erasure reaches alerts', async () => {
  const { customerId, intent } = await saveWaiting()
  const decline = { ...named, code: 'rail_misconfigured', actor: 'merchant_config' } as const
  world.push.whenSubmitted = () => ({ kind: 'declined', decline })
  world.alerts.length = 0
  await confirmIntent(world, claimOf(), intent.id, confirmation())
  await recordRaised(world)
  await erase(customerId)
  expect(await payerPlacesOf(world)).toEqual([])
  expect(world.alerts).toMatchObject([{ name: 'rail_misconfigured', facts: { rail_code: null } }])
})

test('a customer named after an earlier refusal owns what was stored of it', async () => {
  const customerId = await saveCustomer(world)
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  const anonymous = claimOf()
  world.push.whenSubmitted = () => ({ kind: 'declined', decline: named })
  await confirmIntent(world, anonymous, intent.id, confirmation())
  await deliverAll(`Refused for ${PAYER}`)
  world.push.whenSubmitted = () => accepted
  const naming = { ...confirmation(), customer: customerId }
  expect((await confirmIntent(world, claimOf(), intent.id, naming)).status).toBe(200)
  expect(await payerPlacesOf(world)).toEqual(
    expect.arrayContaining([
      'public.charges',
      'public.delivery_attempts',
      'public.events',
      'public.idempotency_keys',
    ]),
  )
  await erase(customerId)
  expect(await payerPlacesOf(world)).toEqual([])
  const replayed = await confirmIntent(world, anonymous, intent.id, confirmation())
  expect(JSON.parse(replayed.body)).toMatchObject({ last_payment_error: { message: '[redacted]' } })
})

test('the same customer owns the answer of a request that ran again, because its first try had not reached the rail', async () => {
  const customerId = await saveCustomer(world)
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  const anonymous = claimOf()
  world.push.whenSubmitted = () => notSent
  const lost = confirmIntent(world, anonymous, intent.id, confirmation())
  await expect(lost).rejects.toMatchObject({ code: 'provider_unavailable' })
  world.nowMs += 1_000
  world.push.whenSubmitted = () => ({ kind: 'declined', decline: named })
  expect((await confirmIntent(world, anonymous, intent.id, confirmation())).status).toBe(200)
  world.push.whenSubmitted = () => accepted
  const naming = { ...confirmation(), customer: customerId }
  expect((await confirmIntent(world, claimOf(), intent.id, naming)).status).toBe(200)
  expect(await payerPlacesOf(world)).toEqual(expect.arrayContaining(['public.idempotency_keys']))
  await erase(customerId)
  expect(await payerPlacesOf(world)).toEqual([])
})

/** Delivers every event to one endpoint, which gives each the same answer. */
async function deliverAll(responseExcerpt: string): Promise<void> {
  const { writer } = world.db
  const order = { nowMs: T0 + LEASE_MS, limit: 500, leaseUntilMs: T0 + 2 * LEASE_MS }
  await fanOut(writer, await findDueFanouts(world.db.reader, order.nowMs, 500), () => ['hook'], order.nowMs)
  const said = { startedAtMs: T0, durationMs: 5, statusCode: 200, error: null, responseExcerpt }
  const attempts = (await claimDeliveries(writer, order, [], { behind: null })).map((job) => ({
    job,
    ...said,
  }))
  const succeeded = attempts.map((attempt) => ({ ...attempt, result: 'succeeded' as const }))
  await finishAttempts(writer, succeeded, order.leaseUntilMs, order.nowMs, exhausted)
}

describe('the answer of a webhook’s receiver while the customer was being named', () => {
  const order = { nowMs: T0 + LEASE_MS, limit: 500, leaseUntilMs: T0 + 2 * LEASE_MS }

  /** An intent whose event waits to be delivered, and the confirm that names its customer. */
  async function refusedBeforeNamed() {
    await sql`delete from delivery_jobs`.execute(world.owner.writer)
    const customerId = await saveCustomer(world)
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    world.push.whenSubmitted = () => ({ kind: 'declined', decline: named })
    await confirmIntent(world, claimOf(), intent.id, confirmation())
    world.push.whenSubmitted = () => accepted
    const naming = { ...confirmation(), customer: customerId }
    return { customerId, name: () => confirmIntent(world, claimOf(), intent.id, naming) }
  }

  test('is cleared, if an attempt was being recorded', async () => {
    const { customerId, name } = await refusedBeforeNamed()
    const events = await findDueFanouts(world.db.reader, order.nowMs, order.limit)
    await fanOut(world.db.writer, events, () => ['hook'], order.nowMs)
    const said = {
      startedAtMs: T0,
      durationMs: 5,
      statusCode: 200,
      error: null,
      result: 'succeeded' as const,
    }
    const attempts = (await claimDeliveries(world.db.writer, order, [], { behind: null })).map((job) => ({
      job,
      ...said,
      responseExcerpt: `Refused for ${PAYER}`,
    }))
    const commit = await holdTransaction(world.db, (tx) =>
      finishAttempts(within(tx).writer, attempts, order.leaseUntilMs, order.nowMs, exhausted),
    )
    const naming = name()
    await untilWaiting(world)
    await commit()
    expect((await naming).status).toBe(200)
    expect(await payerPlacesOf(world)).toContain('public.delivery_attempts')
    await erase(customerId)
    expect(await payerPlacesOf(world)).toEqual([])
  })

  test.each(['before', 'after'])(
    'an attempt stored %s the erasure keeps no text of the payer',
    async (when) => {
      const { customerId, name } = await refusedBeforeNamed()
      const events = await findDueFanouts(world.db.reader, order.nowMs, order.limit)
      const commit = await holdTransaction(world.db, (tx) =>
        fanOut(within(tx).writer, events, () => ['hook'], order.nowMs),
      )
      expect((await name()).status).toBe(200)
      await commit()
      if (when === 'before') await deliverAll(`Refused for ${PAYER}`)
      await erase(customerId)
      if (when === 'after') await deliverAll(`Refused for ${PAYER}`)
      expect(await payerPlacesOf(world)).toEqual([])
    },
  )
})

describe('an erasure and a refusal in one instant', () => {
  async function saveRefusal(): Promise<{ customerId: CustomerId; transition: Transition }> {
    const { customerId, intent } = await saveWaiting()
    const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id, customerId }))
    return { customerId, transition: { ...planFailure(charge, intent, named, T0), key: null } }
  }

  test('the writer of the refusal waits for the first commit of the erasure, and writes it redacted', async () => {
    const { customerId, transition } = await saveRefusal()
    const { written, erasure } = await world.db.transact(async (tx) => {
      const { found } = await lockCustomer(tx, ACME, customerId)
      if (found === undefined) throw new Error('no such customer')
      const begun = await beginErasure(world, tx, found, null)
      const promise = writeTransitions(world.db.writer, [transition], T0)
      await untilWaiting(world)
      return { written: promise, erasure: begun.erasure }
    })
    expect(await written).toEqual([true])
    await eraseOn(world, erasure)
    expect(await payerPlacesOf(world)).toEqual([])
  })

  test('the erasure waits for the writer of the refusal, and redacts it', async () => {
    const { customerId, transition } = await saveRefusal()
    const { erased } = await world.db.transact(async (tx) => {
      expect(await writeTransitions(tx, [transition], T0)).toEqual([true])
      const promise = erase(customerId)
      await untilWaiting(world)
      return { erased: promise }
    })
    await erased
    expect(await payerPlacesOf(world)).toEqual([])
  })

  test('a cancel that was planned before an erasure does not bring back what the erasure cleared', async () => {
    const { customerId, intent } = await saveWaiting(refusedBefore)
    const claim = claimOf()
    const canceled = cancelIntent(world, claim, intent.id, null)
    await Promise.all([canceled, erase(customerId)])
    await finishAll(world)
    expect(await payerPlacesOf(world)).toEqual([])
    expect((await readIntent(world, intent.id))?.status).toBe('canceled')
  })

  test('many confirms, cancels and erasures all end, and leave nothing', async () => {
    world.push.whenSubmitted = () => ({ kind: 'declined', decline: named })
    const ended = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { customerId, intent } = await saveWaiting(refusedBefore)
        const other = await saveIntent(
          world,
          makeIntent('requires_payment_method', { customerId, ...refusedBefore }),
        )
        return Promise.allSettled([
          confirmIntent(world, claimOf(), intent.id, confirmation()),
          cancelIntent(world, claimOf(), other.id, null),
          erase(customerId),
        ])
      }),
    )
    await finishAll(world)
    const codes = ended.flat().flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []))
    expect(codes.filter((code) => code !== 'customer_erased')).toEqual([])
    expect(await payerPlacesOf(world)).toEqual([])
  })
})

test('a customer with more copies than are read at a time keeps none', async () => {
  const customerId = await saveCustomer(world)
  const copies = `from generate_series(1, 1201) n`
  const wire = `json_build_object('object', 'customer', 'id', n, 'phone', '${PAYER}')`
  const run = (text: string) => sql.raw(text).execute(world.db.writer)
  await run(`insert into events (merchant_id, id, type, body, customer_id, position)
    select '${ACME}', gen_random_uuid(), 'customer.updated',
      json_build_object('object', 'event', 'data', json_build_object('object', ${wire})), '${uuidOf(customerId)}', 1000 + n ${copies}`)
  await run(`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, customer_id, expires_at)
    select '${ACME}', 'v1', 'copy-' || n, '', 200, ${wire}, '${uuidOf(customerId)}', now() ${copies}`)
  expect(await payerPlacesOf(world)).toEqual(
    expect.arrayContaining(['public.events', 'public.idempotency_keys']),
  )
  await erase(customerId)
  expect(await payerPlacesOf(world)).toEqual([])
  const { rows } = await sql<{ n: number }>`select count(distinct body) as n from idempotency_keys
    where key like 'copy-%'`.execute(world.db.writer)
  expect(rows).toEqual([{ n: 1201 }])
})

test('every table with a foreign key to customers keeps the row of a customer whom it names [§3.2]', async () => {
  const { rows } = await sql<{ name: string }>`select conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'customers'::regclass`.execute(world.db.writer)
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(REFERRING))
})

test('an answer that is kept after the erasure of its customer is kept redacted [§3.2]', async () => {
  const { customerId, intent } = await saveWaiting(refusedBefore)
  const claim = claimOf()
  await sql`insert into idempotency_keys (merchant_id, scope, key, fingerprint, customer_id, expires_at)
    values (${ACME}, 'v1', ${claim.key}, ${claim.fingerprint}, ${uuidOf(customerId)}::uuid, now() + interval '1 day')
  `.execute(world.db.writer)
  const body = JSON.stringify(renderPaymentIntent(intent))
  await erase(customerId)
  await finishKey(world.db, claim, 1, { status: 200, body, shouldRetry: null }, T0)
  expect(await payerPlacesOf(world)).toEqual([])
  expect((await readKey(world, claim))?.body).toContain('"message":"[redacted]"')
})

describe('what a receiver says to an event of a customer [§3.2]', () => {
  const attempt = {
    startedAtMs: T0,
    durationMs: 5,
    statusCode: 200,
    error: null,
    result: 'succeeded',
  } as const
  const order = { nowMs: T0 + LEASE_MS, limit: 500, leaseUntilMs: T0 + 2 * LEASE_MS }

  /** A delivery that is under way, of the event about a customer's deletion. */
  async function posting(isNamed: boolean) {
    const customerId = await saveCustomer(world)
    if (isNamed) await saveIntent(world, makeIntent('requires_payment_method', { customerId }))
    await erase(customerId)
    const events = await findDueFanouts(world.db.reader, order.nowMs, order.limit)
    await fanOut(world.db.writer, events, () => ['hook'], order.nowMs)
    const jobs = await claimDeliveries(world.db.writer, order, [], { behind: null })
    return jobs.filter(({ takeBody }) => Buffer.from(takeBody()).includes(customerId))
  }

  test.each([
    ['erased', true],
    ['removed', false],
  ])('who was %s is not kept, and an empty answer is kept as what it is', async (_, isNamed) => {
    const [job] = await posting(isNamed)
    if (job === undefined) throw new Error('nothing is to be delivered')
    const excerptOf = async (responseExcerpt: string | null) => {
      await sql`update delivery_jobs set lease_until = to_timestamp(${order.leaseUntilMs / 1000}::float8)`.execute(
        world.db.writer,
      )
      const failed = { ...attempt, job, responseExcerpt, statusCode: 500, result: 'failed' } as const
      await finishAttempts(world.db.writer, [failed], order.leaseUntilMs, T0, exhausted)
      const { rows } = await sql<{ excerpt: string | null }>`delete from delivery_attempts
        where delivery_id = ${uuidOf(job.deliveryId)}::uuid returning response_excerpt as excerpt`.execute(
        world.owner.writer,
      )
      return rows[0]?.excerpt
    }
    expect(await excerptOf(`Goodbye ${PAYER}`)).toBe('[redacted]')
    expect(await excerptOf('')).toBe('')
    expect(await excerptOf(null)).toBeNull()
  })
})
