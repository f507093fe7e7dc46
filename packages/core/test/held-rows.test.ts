import { newIntents } from '../src/payment-intents/insertions.ts'
import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type CustomerId, type MerchantId, uuidOf } from '../src/base/ids.ts'
import { KEY_LIFE_MS, type KeyClaim } from '../src/commit/key.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { createIntent } from '../src/payment-intents/create.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import type { SubmitOutcome } from '../src/rails/port.ts'
import { accepted, declined, makeIntent, makeInvoice, wantedIntent } from './make.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  creatingClaimOf,
  hold,
  openWorld,
  saveCustomer,
  saveIntent,
  saveInvoice,
  untilWaiting,
} from './world.ts'

const OTHER = 'globex' as MerchantId

const world = await openWorld()
afterAll(() => world.stop())
beforeEach(() => {
  world.push.whenSubmitted = () => accepted
})

interface Confirmed {
  readonly claim: KeyClaim
  readonly intent: Intent
  readonly customer: CustomerId
}

/** An intent that an invoice bills to a customer, and the key of its confirm. */
async function billedIntent(): Promise<Confirmed> {
  const { id: invoiceId, customerId } = await saveInvoice(world, makeInvoice('open'))
  const intent = await saveIntent(world, makeIntent('requires_payment_method', { invoiceId, customerId }))
  return { intent, customer: customerId, claim: claimOf() }
}

const rowOf = {
  intent: ({ intent }: Confirmed) =>
    sql`select 1 from payment_intents where id = ${uuidOf(intent.id)}::uuid for update`,
  customer: ({ customer }: Confirmed) =>
    sql`select 1 from customers where id = ${uuidOf(customer)}::uuid for update`,
  invoice: ({ intent }: Confirmed) =>
    sql`select 1 from invoices where id = ${uuidOf(intent.invoiceId as NonNullable<Intent['invoiceId']>)}::uuid for update`,
  key: ({ claim }: Confirmed) => sql`select 1 from idempotency_keys where key = ${claim.key} for update`,
  charge: ({ intent }: Confirmed) =>
    sql`select 1 from charges where payment_intent_id = ${uuidOf(intent.id)}::uuid for update`,
}

function run({ claim, intent }: Pick<Confirmed, 'claim' | 'intent'>) {
  const state = { ended: false, answer: Promise.resolve({ status: 0, replayed: false }) }
  state.answer = confirmIntent(world, { ...claim, merchantId: intent.merchantId }, intent.id, confirmation())
  void state.answer.catch(() => undefined).then(() => (state.ended = true))
  return state
}

const neighbour = async () => ({
  claim: claimOf(),
  intent: await saveIntent(world, makeIntent('requires_payment_method', { merchantId: OTHER })),
})

describe('a confirm that needs a row which another transaction holds delays no other in its statement:', () => {
  test.each(['intent', 'customer', 'invoice'] as const)('the %s', async (name) => {
    const [one, other] = [await billedIntent(), await neighbour()]
    const free = await hold(world, rowOf[name](one))
    const [waits, goes] = [run(one), run(other)]
    expect(await goes.answer).toMatchObject({ status: 200, replayed: false })
    expect(waits.ended).toBe(false)
    expect(await chargesOf(world, one.intent.id)).toEqual([])
    await free()
    expect(await waits.answer).toMatchObject({ status: 200, replayed: false })
    expect(await chargesOf(world, one.intent.id)).toMatchObject([{ status: 'live' }])
  })

  test('the key', async () => {
    const [one, other] = [await billedIntent(), await neighbour()]
    const first = await run(one).answer
    const again = { ...one, intent: (await billedIntent()).intent }
    const free = await hold(world, rowOf.key(one))
    const [waits, goes] = [run(again), run(other)]
    expect(await goes.answer).toMatchObject({ status: 200, replayed: false })
    expect(waits.ended).toBe(false)
    await free()
    expect(await waits.answer).toEqual({ ...first, replayed: true })
  })
})

describe('the answer of a confirm that needs such a row delays no other either:', () => {
  const refused: SubmitOutcome = { kind: 'declined', decline: declined }

  test.each(['intent', 'customer', 'key', 'charge'] as const)('the %s', async (name) => {
    const [one, other] = [await billedIntent(), await neighbour()]
    const sent = Promise.withResolvers<void>()
    const outcome = Promise.withResolvers<SubmitOutcome>()
    let submits = 0
    world.push.whenSubmitted = () => {
      submits += 1
      if (submits === 2) sent.resolve()
      return outcome.promise
    }
    const [waits, goes] = [run(one), run(other)]
    await sent.promise
    const free = await hold(world, rowOf[name](one))
    outcome.resolve(refused)
    expect(await goes.answer).toMatchObject({ status: 200 })
    expect(waits.ended).toBe(false)
    expect(await chargesOf(world, one.intent.id)).toMatchObject([{ status: 'submitting' }])
    await free()
    expect(await waits.answer).toMatchObject({ status: 200 })
    // Not redacted, because the transaction that held the customer's row erased nothing.
    expect(await chargesOf(world, one.intent.id)).toMatchObject([
      { status: 'failed', railMessage: declined.railMessage },
    ])
  })
})

test('a create whose key another transaction is writing delays no other', async () => {
  const claim = claimOf()
  const free = await hold(
    world,
    sql`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
    values ('acme', 'v1', ${claim.key}, ${claim.fingerprint}, 200, '{}', ${instant(world.nowMs + KEY_LIFE_MS)})`,
  )
  const insert = (merchantId: MerchantId, key: KeyClaim) =>
    world.writes.together(newIntents, {
      claim: { ...key, merchantId },
      intent: makeIntent('requires_payment_method', { merchantId }),
      answer: { status: 201, body: '{}', shouldRetry: null },
      nowMs: world.nowMs,
    })
  const [waits, goes] = [insert(claim.merchantId, claim), insert(OTHER, claimOf())]
  let ended = false
  void waits.then(() => (ended = true))
  expect(await goes).toBe('inserted')
  expect(ended).toBe(false)
  // A statement that began after `free` would see the key, and answer with what is stored under it.
  await untilWaiting(world)
  await free()
  expect(await waits).toBe('key_taken')
})

test('a customer with many held confirms leaves connections for others', async () => {
  const customer = await saveCustomer(world)
  const intents = await Promise.all(
    Array.from({ length: 60 }, () =>
      saveIntent(world, makeIntent('requires_payment_method', { customerId: customer })),
    ),
  )
  const free = await hold(world, rowOf.customer({ customer } as Confirmed))
  const waiting = intents.map((intent) => run({ intent, claim: claimOf() }))
  expect(await run(await neighbour()).answer).toMatchObject({ status: 200 })
  expect(waiting.some(({ ended }) => ended)).toBe(false)
  await free()
  const answers = await Promise.all(waiting.map(({ answer }) => answer))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('creates that name a held customer leave connections for others', async () => {
  const customer = await saveCustomer(world)
  const free = await hold(world, rowOf.customer({ customer } as Confirmed))
  const named = Array.from({ length: 60 }, () =>
    createIntent(world, creatingClaimOf(), { ...wantedIntent, customer }),
  )
  const other = createIntent(
    world,
    { ...claimOf(), merchantId: OTHER },
    { ...wantedIntent, customer: 'cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70' },
  )
  // The refusal needs two statements.
  await expect(other).rejects.toMatchObject({ param: 'customer' })
  expect(await run(await neighbour()).answer).toMatchObject({ status: 200 })
  await free()
  expect(new Set((await Promise.all(named)).map(({ status }) => status))).toEqual(new Set([201]))
})
