import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { KEY_LIFE_MS, type KeyClaim } from '../src/commit/key.ts'
import { batchWrites } from '../src/commit/writes.ts'
import { findUsedKey, finishKey, settleRefusal } from '../src/commit/answers.ts'
import { mintId } from '../src/base/ids.ts'
import { replayOr } from '../src/commit/replay.ts'
import { createIntent } from '../src/payment-intents/create.ts'
import { ACME, clientSecrets, PUSH, T0 } from './make.ts'
import { claimOf, openWorld, orCode, readKey, saveCustomer, type World } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const refusal = new Refusal('invalid_request', 'is required', { param: 'amount' })
const refusedBody =
  '{"error":{"type":"invalid_request_error","code":"invalid_request","message":"amount is required","param":"amount"}}'

/** The answer to a refused request: the stored answer, or the refusal's code. */
const settle = (claim: KeyClaim, refused = refusal, nowMs = T0) =>
  orCode(settleRefusal(world.db, claim, refused, nowMs))

const replayed = { status: 400, body: refusedBody, shouldRetry: false, replayed: true }

describe('a refusal', () => {
  test('is stored under its key and replayed, byte for byte', async () => {
    const claim = claimOf()
    expect(await settle(claim)).toBe('invalid_request')
    expect(await readKey(world, claim)).toEqual({
      status: 400,
      should_retry: false,
      body: refusedBody,
      resource_id: null,
      fence: 1,
      held_until: null,
      customer_id: null,
      expires_at: T0 + KEY_LIFE_MS,
    })
    expect(await settle(claim)).toEqual(replayed)
    expect(await settle(claim, new Refusal('resource_missing', 'No such payment intent.'))).toEqual(replayed)
  })

  test('of another request with the same key is about the key', async () => {
    const claim = claimOf()
    await settle(claim)
    expect(await settle(claimOf(claim.key, 'b=2'))).toBe('idempotency_key_in_use')
  })

  test('fifty times at once with one key is stored once, and every request gets the same answer', async () => {
    const claim = claimOf()
    const answers = await Promise.all(Array.from({ length: 50 }, () => settle(claim)))
    expect(answers.filter((answer) => answer === 'invalid_request')).toHaveLength(1)
    expect(answers.filter((answer) => typeof answer === 'object')).toEqual(
      Array.from({ length: 49 }, () => replayed),
    )
  })

  test.each(['not_supported', 'provider_unavailable', 'service_unavailable', 'internal_error'] as const)(
    'of a kind that is never stored leaves no key: %s',
    async (code) => {
      const claim = claimOf()
      for (let n = 0; n < 2; n += 1) expect(await settle(claim, new Refusal(code, 'Not now.'))).toBe(code)
      expect(await readKey(world, claim)).toBeUndefined()
    },
  )

  test('to a disabled client is a 401, and stores nothing', async () => {
    const claim = claimOf()
    await sql`insert into disabled_clients (client_id, reason) values (${ACME}, 'test')`.execute(
      world.db.writer,
    )
    const answer = await settle(claim)
    await sql`delete from disabled_clients`.execute(world.db.writer)
    expect(answer).toBe('authentication_error')
    expect(await readKey(world, claim)).toBeUndefined()
  })
})

describe('a key', () => {
  test('is kept for 24 hours to the millisecond, then free for any request [§8]', async () => {
    const claim = claimOf()
    await settle(claim)
    expect(await findUsedKey(world.db.reader, claim, T0 + KEY_LIFE_MS - 1)).toEqual({
      kind: 'answered',
      answer: replayed,
    })
    expect(await findUsedKey(world.db.reader, claim, T0 + KEY_LIFE_MS)).toBeUndefined()
    const other = claimOf(claim.key, 'b=2')
    expect(await settle(other, refusal, T0 + KEY_LIFE_MS)).toBe('invalid_request')
    expect(await readKey(world, claim)).toMatchObject({ fence: 2, expires_at: T0 + 2 * KEY_LIFE_MS })
  })

  test('of one merchant, or of one payer’s browser, is not another’s', async () => {
    const claim = claimOf()
    await settle(claim)
    for (const other of [
      { ...claim, merchantId: 'other' as typeof ACME },
      { ...claim, scope: 'browser:pi_1' },
      { ...claim, scope: 'browser:pi_2' },
    ] as const) {
      expect(await settle(other)).toBe('invalid_request')
    }
  })

  test('tells upper from lower case, and keeps every printable character', async () => {
    const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, n) => 0x20 + n))
    const claims = [printable, printable.toLowerCase(), 'k'.repeat(255), ' k', 'k '].map((key) =>
      claimOf(key),
    )
    for (const claim of claims) expect(await settle(claim)).toBe('invalid_request')
    for (const claim of claims) expect(await settle(claim)).toEqual(replayed)
  })
})

describe('ending a key that is held', () => {
  const answer = { status: 200, body: '{"id":"pi"}', shouldRetry: null }
  const held = async (untilMs: number) => {
    const claim = claimOf()
    await sql`insert into idempotency_keys (merchant_id, scope, key, fingerprint, fence, held_until, expires_at)
      values (${ACME}, 'v1', ${claim.key}, ${claim.fingerprint}, 3, to_timestamp(${untilMs / 1000}::float8),
        to_timestamp(${(T0 + KEY_LIFE_MS) / 1000}::float8))`.execute(world.db.writer)
    return claim
  }

  test('stores the answer, once', async () => {
    const claim = await held(T0 + 1_000)
    expect(await finishKey(world.db, claim, 3, answer, T0)).toEqual({ ...answer, replayed: false })
    const again = await finishKey(world.db, claim, 3, { ...answer, body: '{"id":"other"}' }, T0)
    expect(again).toEqual({ ...answer, replayed: true })
  })

  test('by a request that lost it leaves it to the one that holds it', async () => {
    const claim = await held(T0 + 1_000)
    await expect(finishKey(world.db, claim, 2, answer, T0)).rejects.toMatchObject({
      code: 'idempotency_key_in_flight',
    })
    expect(await readKey(world, claim)).toMatchObject({ status: null, fence: 3, held_until: T0 + 1_000 })
  })
})

describe('a create', () => {
  const wanted = {
    amountMinor: 1000,
    currency: 'XAF',
    paymentMethodTypes: [PUSH, PUSH],
    customer: null,
    description: null,
    metadata: {},
  } as const
  const count = async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from payment_intents`.execute(
      world.db.writer,
    )
    return rows[0]?.n ?? 0
  }

  const create = (from: World, claim: KeyClaim) =>
    replayOr(from, claim, () => createIntent(from, claim, wanted))

  test('fifty times at once with one key makes one payment intent, and answers the same bytes', async () => {
    const before = await count()
    const claim = claimOf()
    const answers = await Promise.all(Array.from({ length: 50 }, () => createIntent(world, claim, wanted)))
    expect(await count()).toBe(before + 1)
    const sent = answers.map(({ status, body }) => `${status} ${clientSecrets.fill(body)}`)
    expect(new Set(sent).size).toBe(1)
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
  })

  test('is replayed without a write, and by a process that has not seen its key', async () => {
    const claim = claimOf()
    const first = await create(world, claim)
    // A claim that finds its key taken locks the row, which sets its xmax.
    const isLocked = async () => {
      const { rows } = await sql<{ locked: boolean }>`
        select xmax::text <> '0' as locked from idempotency_keys where key = ${claim.key}`.execute(
        world.db.writer,
      )
      return rows[0]?.locked
    }
    const again = { status: first.status, body: clientSecrets.fill(first.body), replayed: true }
    const replay = async (from: World) => {
      const { status, body, replayed: isReplayed } = await create(from, claim)
      return { status, body: clientSecrets.fill(body), replayed: isReplayed }
    }
    expect(await Promise.all([replay(world), replay(world)])).toEqual([again, again])
    expect(await isLocked()).toBe(false)
    const other = { ...world, writes: batchWrites(world.db.writer) }
    expect(await replay(other)).toEqual(again)
    expect(await isLocked()).toBe(true)
  })

  test('is not replayed to a disabled client, and its key can be claimed again once it has expired', async () => {
    const claim = { ...claimOf(), merchantId: 'soon-disabled' as typeof ACME }
    await create(world, claim)
    const later = { ...world, clock: () => T0 + KEY_LIFE_MS }
    expect(await create(later, claim)).toMatchObject({ replayed: false })
    await sql`insert into disabled_clients (client_id, reason) values (${claim.merchantId}, 'test')`.execute(
      world.db.writer,
    )
    await expect(create(world, claim)).rejects.toMatchObject({ code: 'authentication_error' })
  })

  test('names a customer of the merchant, or none', async () => {
    const customer = await saveCustomer(world, { usedAtMs: T0 - 5_000 })
    const erased = await saveCustomer(world, { erased: true })
    const before = await count()
    const create = (named: string) => createIntent(world, claimOf(), { ...wanted, customer: named })
    const noSuchCustomer = { code: 'invalid_request', param: 'customer', message: 'No such customer.' }

    for (const missing of [mintId('cus', T0), 'cus_1', mintId('pi', T0)]) {
      await expect(create(missing)).rejects.toMatchObject(noSuchCustomer)
    }
    await expect(create(erased)).rejects.toMatchObject({ code: 'customer_erased', param: 'customer' })
    const foreign = { ...claimOf(), merchantId: 'other' as typeof ACME }
    await expect(createIntent(world, foreign, { ...wanted, customer })).rejects.toMatchObject(noSuchCustomer)
    expect(await count()).toBe(before)

    const { body } = await create(customer)
    expect(JSON.parse(body)).toMatchObject({ customer, payment_method_types: [PUSH] })
    const { rows } = await sql<{
      at: number
    }>`select max(last_used_at) as at from customers where erased_at is null`.execute(world.db.writer)
    expect(rows).toEqual([{ at: T0 }])
  })
})
