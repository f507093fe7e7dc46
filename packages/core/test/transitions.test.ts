import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { moveCharge } from '../src/charges/charge.ts'
import { planPaid } from '../src/invoices/invoice.ts'
import { planSuccess } from '../src/payment-intents/plan-charge.ts'
import type { KeyEffect } from '../src/commit/key-effects.ts'
import { KEY_LIFE_MS, type KeyClaim } from '../src/commit/key.ts'
import { type InvoiceId, mintId, uuidOf } from '../src/base/ids.ts'
import type { Invoice } from '../src/invoices/invoice.ts'
import { findInvoice } from '../src/invoices/store.ts'
import { type Intent, moveIntent } from '../src/payment-intents/intent.ts'
import type { Transition } from '../src/payment-intents/transition.ts'
import { TRANSITIONS_MAX, writeTransitions } from '../src/payment-intents/transitions.ts'
import { ACME, makeCharge, makeIntent, makeInvoice, refusal, T0 } from './make.ts'
import {
  claimOf,
  eventsOf,
  openWorld,
  readCharge,
  readIntent,
  readKey,
  saveCharge,
  saveCustomer,
  saveIntent,
  saveInvoice,
  typesOf,
} from './world.ts'

const NOW = T0 + 5_000
const answer = { status: 200, body: '{"id":"pi"}', shouldRetry: null }

const world = await openWorld()
afterAll(() => world.stop())

const write = (...transitions: Transition[]) => writeTransitions(world.db.writer, transitions, NOW)

async function saveLive() {
  const intent = await saveIntent(world, makeIntent('processing', { lastPaymentError: null }))
  const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id }))
  const transition: Transition = { ...planSuccess(charge, intent, 'txn-1', NOW), key: null }
  return { intent, charge, transition }
}

const saveMany = (count: number) => Promise.all(Array.from({ length: count }, saveLive))

/** A key in flight, in the state that opening a charge leaves. */
async function holdKey(claim: KeyClaim, resource = mintId('ch', T0)): Promise<void> {
  await sql`insert into idempotency_keys (merchant_id, scope, key, fingerprint, resource_id, held_until, expires_at)
    values (${ACME}, 'v1', ${claim.key}, ${claim.fingerprint}, ${uuidOf(resource)}::uuid,
      ${instant(T0 + 60_000)}::timestamptz, ${instant(T0 + KEY_LIFE_MS)}::timestamptz)`.execute(
    world.db.writer,
  )
}

/** All rows that a transition can change. */
async function rowsOf(intent: Intent, chargeId: Parameters<typeof readCharge>[1], claim: KeyClaim) {
  return [
    await readIntent(world, intent.id),
    await readCharge(world, chargeId),
    await typesOf(world, intent.id),
    await readKey(world, claim),
  ]
}

describe('a transition', () => {
  test('writes the intent, its charge, the event and the answer, in one transaction [§1.5, §3.1, §6.2]', async () => {
    const customerId = await saveCustomer(world)
    const before = makeIntent('processing', {
      customerId,
      lastPaymentError: refusal,
      redirectUrl: 'https://r.example',
    })
    const intent = await saveIntent(world, before)
    const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id, railToken: 'tok' }))
    const plan = planSuccess(charge, intent, 'txn-1', NOW)
    const claim = claimOf()

    const written = await write({
      ...plan,
      key: { kind: 'claim', claim, answer: { ...answer, shouldRetry: false } },
    })

    expect(written).toEqual([true])
    const { change } = plan
    expect(await readIntent(world, intent.id)).toEqual(change?.after)
    expect(await readCharge(world, charge.id)).toEqual(plan.charge?.after)
    expect(await eventsOf(world, intent.id)).toEqual([
      { type: 'payment_intent.succeeded', body: JSON.parse(change?.event?.body ?? '') },
    ])
    expect(await readKey(world, claim)).toEqual({
      status: 200,
      body: answer.body,
      should_retry: false,
      resource_id: null,
      fence: 1,
      held_until: null,
      customer_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      expires_at: NOW + KEY_LIFE_MS,
    })
    const { rows } = await sql`select count(distinct xid)::integer as writers from (
      select xmin::text as xid from payment_intents where id = ${uuidOf(intent.id)}::uuid
      union all select xmin::text from charges where id = ${uuidOf(charge.id)}::uuid
      union all select xmin::text from idempotency_keys where key = ${claim.key}
      union all select xmin::text from events where id = ${uuidOf(change?.event?.id ?? mintId('evt', 0))}::uuid) w`.execute(
      world.db.writer,
    )
    expect(rows).toEqual([{ writers: 1 }])
  })

  test('keeps the bytes of the event as they were rendered [§2.3]', async () => {
    const intent = await saveIntent(
      world,
      makeIntent('processing', { description: '\u2028 “é” \\u0041 </script> 😀' }),
    )
    const change = moveIntent(intent, 'cancel', { reason: null }, NOW)
    await write({ intent, change, charge: null, key: null })
    const stored = await world.db.reader
      .selectFrom('events')
      .innerJoin('fanout_jobs', 'event_id', 'id')
      .select(['events.merchant_id', 'body', 'customer_id', 'position', 'fanout_state', 'failures', 'due_at'])
      .where('id', '=', uuidOf(change.event?.id ?? mintId('evt', 0)))
      .executeTakeFirstOrThrow()
    expect(stored).toMatchObject({
      merchant_id: ACME,
      body: change.event?.body,
      customer_id: null,
      position: expect.any(Number) as number,
      fanout_state: 'pending',
      failures: 0,
      due_at: NOW,
    })
  })

  test('of a charge alone leaves its intent as it is', async () => {
    const intent = await saveIntent(world, makeIntent('canceled'))
    const charge = await saveCharge(world, makeCharge('submitting', { intentId: intent.id }))
    const change = moveCharge(charge, 'doubt', {}, NOW)
    expect(await write({ intent, change: null, charge: change, key: null })).toEqual([true])
    expect(await readIntent(world, intent.id)).toEqual(intent)
    expect(await readCharge(world, charge.id)).toEqual(change.after)
    expect(await typesOf(world, intent.id)).toEqual([])
  })

  test('frees the lease under which its charge was asked for', async () => {
    const { charge, transition } = await saveLive()
    await sql`update charge_jobs set lease_until = now() where charge_id = ${uuidOf(charge.id)}::uuid`.execute(
      world.db.writer,
    )
    await write(transition)
    const { rows } =
      await sql`select 1 from charge_jobs where charge_id = ${uuidOf(charge.id)}::uuid and lease_until is not null`.execute(
        world.db.writer,
      )
    expect(rows).toEqual([])
  })
})

describe('nothing at all is written', () => {
  const effects: Record<string, (claim: KeyClaim) => KeyEffect | null> = {
    'without a key': () => null,
    'with a key to claim': (claim) => ({ kind: 'claim', claim, answer }),
    'with a key to finish': (claim) => ({ kind: 'finish', claim, fence: 1, answer }),
    'with a key to release': (claim) => ({ kind: 'release', claim, fence: 1 }),
  }

  const stale = {
    intent: (id: string) => sql`update payment_intents set revision = revision + 1 where id = ${id}::uuid`,
    charge: (id: string) => sql`update charges set revision = revision + 1 where id = ${id}::uuid`,
  }

  test.each(Object.entries(effects))('when the intent has changed, %s', async (name, effect) => {
    const { intent, charge, transition } = await saveLive()
    const claim = claimOf()
    if (name.endsWith('finish') || name.endsWith('release')) await holdKey(claim)
    await stale.intent(uuidOf(intent.id)).execute(world.db.writer)
    const before = await rowsOf(intent, charge.id, claim)
    expect(await write({ ...transition, key: effect(claim) })).toEqual([false])
    expect(await rowsOf(intent, charge.id, claim)).toEqual(before)
  })

  test.each(Object.entries(effects))('when the charge has changed, %s', async (name, effect) => {
    const { intent, charge, transition } = await saveLive()
    const claim = claimOf()
    if (name.endsWith('finish') || name.endsWith('release')) await holdKey(claim)
    await stale.charge(uuidOf(charge.id)).execute(world.db.writer)
    const before = await rowsOf(intent, charge.id, claim)
    expect(await write({ ...transition, key: effect(claim) })).toEqual([false])
    expect(await rowsOf(intent, charge.id, claim)).toEqual(before)
  })

  const taken: [string, (claim: KeyClaim) => KeyEffect, (claim: KeyClaim) => Promise<void>][] = [
    ['to claim is answered', (claim) => ({ kind: 'claim', claim, answer }), answerKey],
    ['to claim is in flight', (claim) => ({ kind: 'claim', claim, answer }), holdKey],
    ['to finish is answered', (claim) => ({ kind: 'finish', claim, fence: 1, answer }), answerKey],
    ['to finish is gone', (claim) => ({ kind: 'finish', claim, fence: 1, answer }), async () => undefined],
    ['to finish was retaken', (claim) => ({ kind: 'finish', claim, fence: 0, answer }), holdKey],
    ['to release was retaken', (claim) => ({ kind: 'release', claim, fence: 0 }), holdKey],
    ['to release is answered', (claim) => ({ kind: 'release', claim, fence: 1 }), answerKey],
  ]
  test.each(taken)('when the key %s', async (_case, effect, prepare) => {
    const { intent, charge, transition } = await saveLive()
    const claim = claimOf()
    await prepare(claim)
    const before = await rowsOf(intent, charge.id, claim)
    expect(await write({ ...transition, key: effect(claim) })).toEqual([false])
    expect(await rowsOf(intent, charge.id, claim)).toEqual(before)
  })

  test('of a foreign merchant’s intent', async () => {
    const { intent, charge, transition } = await saveLive()
    const claim = claimOf()
    const before = await rowsOf(intent, charge.id, claim)
    const foreign = { ...intent, merchantId: 'other' } as Intent<'processing'>
    const change = moveIntent(foreign, 'cancel', { reason: null }, NOW)
    expect(await write({ ...transition, intent: foreign, change })).toEqual([false])
    expect(await rowsOf(intent, charge.id, claim)).toEqual(before)
  })
})

async function answerKey(claim: KeyClaim): Promise<void> {
  await holdKey(claim)
  await sql`update idempotency_keys set status = 409, body = '{}', held_until = null where key = ${claim.key}`.execute(
    world.db.writer,
  )
}

describe('a key', () => {
  const cancel = async (key: KeyEffect) => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    return write({ intent, change: moveIntent(intent, 'cancel', { reason: null }, NOW), charge: null, key })
  }

  test('in flight is finished with the answer, and keeps its link and its age', async () => {
    const claim = claimOf()
    await holdKey(claim)
    const before = await readKey(world, claim)
    expect(await cancel({ kind: 'finish', claim, fence: 1, answer })).toEqual([true])
    expect(await readKey(world, claim)).toEqual({
      ...before,
      status: 200,
      body: answer.body,
      held_until: null,
    })
  })

  test('in flight is released without an answer, and keeps its link and its age', async () => {
    const claim = claimOf()
    await holdKey(claim)
    const before = await readKey(world, claim)
    expect(await cancel({ kind: 'release', claim, fence: 1 })).toEqual([true])
    expect(await readKey(world, claim)).toEqual({ ...before, held_until: null })
  })

  test('past its 24 hours is claimed like a new one', async () => {
    const claim = claimOf()
    await answerKey(claim)
    await sql`update idempotency_keys set expires_at = ${instant(NOW)}::timestamptz where key = ${claim.key}`.execute(
      world.db.writer,
    )
    expect(await cancel({ kind: 'claim', claim, answer })).toEqual([true])
    expect(await readKey(world, claim)).toEqual({
      status: 200,
      body: answer.body,
      should_retry: null,
      resource_id: null,
      fence: 2,
      held_until: null,
      customer_id: null,
      expires_at: NOW + KEY_LIFE_MS,
    })
  })
})

describe('a batch', () => {
  test(`of ${TRANSITIONS_MAX} writes each transition whole or not at all`, async () => {
    const saved = (await saveMany(TRANSITIONS_MAX)).map((live) => ({ ...live, claim: claimOf() }))
    const spoil = [
      async () => undefined,
      async (n: number) => bump('payment_intents', saved[n]?.intent.id),
      async (n: number) => bump('charges', saved[n]?.charge.id),
      async (n: number) => holdKey(saved[n]?.claim ?? claimOf()),
    ] as const
    for (let n = 0; n < TRANSITIONS_MAX; n += 1) await spoil[n % 4]?.(n)

    const written = await write(
      ...saved.map(({ transition, claim }) => ({
        ...transition,
        key: { kind: 'claim', claim, answer } as const,
      })),
    )

    expect(written).toEqual(saved.map((_, n) => n % 4 === 0))
    for (const [n, { intent, charge, claim }] of saved.entries()) {
      const done = n % 4 === 0
      expect
        .soft(
          {
            intent: (await readIntent(world, intent.id))?.status,
            charge: (await readCharge(world, charge.id))?.status,
            events: (await typesOf(world, intent.id)).length,
            answered: (await readKey(world, claim))?.status ?? null,
          },
          `transition ${n}`,
        )
        .toEqual({
          intent: done ? 'succeeded' : 'processing',
          charge: done ? 'succeeded' : 'live',
          events: done ? 1 : 0,
          answered: done ? 200 : null,
        })
    }
  })

  test('of none writes nothing, and one of too many is a fault of ours', async () => {
    expect(await write()).toEqual([])
    const { transition } = await saveLive()
    await expect(write(...Array.from({ length: TRANSITIONS_MAX + 1 }, () => transition))).rejects.toThrow(
      RangeError,
    )
  })

  test('that names one intent twice is a fault of ours, and writes nothing', async () => {
    const { intent, transition } = await saveLive()
    const cancel = {
      intent,
      change: moveIntent(intent, 'cancel', { reason: null }, NOW),
      charge: null,
      key: null,
    }
    await expect(write(transition, cancel)).rejects.toThrow(RangeError)
    expect(await typesOf(world, intent.id)).toEqual([])
  })

  const bump = (table: string, id = mintId('pi', 0) as Parameters<typeof uuidOf>[0]) =>
    sql`update ${sql.table(table)} set revision = revision + 1 where id = ${uuidOf(id)}::uuid`.execute(
      world.db.writer,
    )
})

describe('writers at once', () => {
  test('of one intent: one of fifty wins, and the event is written once', async () => {
    const { intent, charge, transition } = await saveLive()
    const cancel = {
      intent,
      change: moveIntent(intent, 'cancel', { reason: null }, NOW),
      charge: null,
      key: null,
    }
    const written = await Promise.all(
      Array.from({ length: 50 }, (_, n) => write(n % 2 === 0 ? transition : cancel)),
    )
    expect(written.flat().filter(Boolean)).toHaveLength(1)
    const won = written.findIndex(([done]) => done === true) % 2 === 0
    expect((await readIntent(world, intent.id))?.status).toBe(won ? 'succeeded' : 'canceled')
    expect((await readCharge(world, charge.id))?.status).toBe(won ? 'succeeded' : 'live')
    expect(await eventsOf(world, intent.id)).toHaveLength(1)
  })

  test('of the same hundred intents, in 32 batches of other orders: none deadlocks, and each intent moves once', async () => {
    // The table needs some size for the planner to look up the intents in the order of the batch.
    await sql`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode)
      select 'm', gen_random_uuid(), 1, 'XAF', 'processing', '{push_rail}', '{}', 's', false from generate_series(1, 20000)`.execute(
      world.db.writer,
    )
    await sql`analyze payment_intents, charges`.execute(world.owner.writer)
    const saved = await saveMany(100)
    const batches = Array.from({ length: 32 }, (_, n) => shuffled(saved, n + 1))

    const written = await Promise.all(
      batches.map((batch) => write(...batch.map(({ transition }) => transition))),
    )

    const winners = written.flatMap((batch, b) =>
      batch.flatMap((done, n) => (done ? [batches[b]?.[n]?.intent.id] : [])),
    )
    expect(winners).toHaveLength(saved.length)
    expect(new Set(winners)).toEqual(new Set(saved.map(({ intent }) => intent.id)))
    for (const { intent } of saved) expect(await eventsOf(world, intent.id)).toHaveLength(1)
  })
})

/** A different order for each seed, and always the same one for a seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const order = items.map((item, n) => ({ item, rank: ((n + 1) * 7_919 * seed) % 104_729 }))
  return order.toSorted((a, b) => a.rank - b.rank).map(({ item }) => item)
}

describe('a transition that pays an invoice', () => {
  async function saveBilled(bill?: Invoice<'open'>) {
    const open = bill ?? (await saveInvoice(world, makeInvoice('open')))
    const fields = { invoiceId: open.id, lastPaymentError: null }
    const intent = await saveIntent(world, makeIntent('processing', fields))
    const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id }))
    const success = planSuccess(charge, intent, 'txn-1', NOW)
    const invoice = planPaid(open, intent, NOW)
    return { open, intent, charge, transition: { ...success, invoice, key: null } satisfies Transition }
  }
  const readInvoice = async (id: InvoiceId) => (await findInvoice(world.db.reader, ACME, id)).found?.invoice
  const paidEvents = async (id: InvoiceId) => {
    const { rows } = await sql`select 1 from events where type = 'invoice.paid'
      and body::jsonb -> 'data' -> 'object' ->> 'id' = ${id}`.execute(world.db.writer)
    return rows.length
  }

  test('writes it with its intent, among others that pay none', async () => {
    const billed = [await saveBilled(), await saveBilled()]
    const plain = await saveMany(2)
    const transitions = [billed[1], plain[0], billed[0], plain[1]].flatMap((saved) => saved?.transition ?? [])
    expect(await write(...transitions)).toEqual([true, true, true, true])
    for (const { open, intent, transition } of billed) {
      expect(await readInvoice(open.id)).toEqual({
        ...transition.invoice?.after,
        revision: open.revision + 1,
      })
      expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
      expect([await paidEvents(open.id), await typesOf(world, intent.id)]).toEqual([
        1,
        ['payment_intent.succeeded'],
      ])
    }
    for (const { intent } of plain) expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
  })

  test('writes nothing of itself when the invoice has changed, and holds up no other', async () => {
    const [stale, fresh] = [await saveBilled(), await saveBilled()]
    await sql`update invoices set revision = revision + 1 where id = ${uuidOf(stale.open.id)}::uuid`.execute(
      world.db.writer,
    )
    expect(await write(stale.transition, fresh.transition)).toEqual([false, true])
    expect((await readInvoice(stale.open.id))?.status).toBe('open')
    expect((await readIntent(world, stale.intent.id))?.status).toBe('processing')
    expect([await paidEvents(stale.open.id), await paidEvents(fresh.open.id)]).toEqual([0, 1])
  })

  test('leaves the invoice when its intent or its charge has changed', async () => {
    const { open, intent, transition } = await saveBilled()
    await sql`update payment_intents set revision = revision + 1 where id = ${uuidOf(intent.id)}::uuid`.execute(
      world.db.writer,
    )
    expect(await write(transition)).toEqual([false])
    expect(await readInvoice(open.id)).toEqual(open)
    expect(await paidEvents(open.id)).toBe(0)
  })

  test('shares no statement with another one that pays the same invoice', async () => {
    const [one, other] = [await saveBilled(), await saveBilled()]
    const same = { ...other.transition, invoice: one.transition.invoice }
    await expect(write(one.transition, same)).rejects.toThrow(
      'two transitions that pay one invoice in one statement',
    )
  })

  test('does not deadlock in batches that name the invoices in opposite orders', async () => {
    for (let n = 0; n < 10; n += 1) {
      const bills = [await saveBilled(), await saveBilled()]
      // The later intents pay the invoices in the opposite order.
      const others: typeof bills = []
      for (const { open } of bills.toReversed()) others.push(await saveBilled(open))
      const crowds = [bills, others].map((crowd) => crowd.map(({ transition }) => transition))
      const written = await Promise.all(crowds.map((crowd) => write(...crowd)))
      expect(written.flat().filter(Boolean)).toHaveLength(2)
      for (const { open } of bills) expect(await paidEvents(open.id)).toBe(1)
    }
  })
})
