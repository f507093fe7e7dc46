import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { KeyClaim } from '../src/commit/key.ts'
import { mintId, uuidOf } from '../src/base/ids.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { ConfirmParams } from '../src/payment-intents/instrument.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { renderPaymentIntent } from '../src/payment-intents/render.ts'
import { accepted, ACME, makeCharge, makeIntent, PAYER, REDIRECT, refusal, T0 } from './make.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  markErased,
  openWorld,
  readIntent,
  readKey,
  saveCharge,
  saveCustomer,
  saveIntent,
  typesOf,
  untilWaiting,
  usedAt,
} from './world.ts'

const world = await openWorld()
beforeEach(() => {
  world.nowMs = T0
  world.push.submitted.length = 0
  world.push.whenSubmitted = () => accepted
})
afterAll(() => world.stop())

/** The confirm's answer, or the refusal's code and parameter. */
async function confirm(intent: Intent, params: Partial<ConfirmParams> = {}, claim: KeyClaim = claimOf()) {
  try {
    const { status, body, replayed } = await confirmIntent(world, claim, intent.id, {
      ...confirmation(),
      ...params,
    })
    return { status, body: JSON.parse(body) as { error?: { code: string } }, replayed }
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, param: error.param }
    throw error
  }
}

const saveWaiting = (fields: Partial<Intent> = {}) =>
  saveIntent(world, makeIntent('requires_payment_method', fields))

describe('a charge is opened', () => {
  test('committed as submitting, with its reference and its key, before the rail hears of it [§3.1]', async () => {
    const intent = await saveWaiting({ lastPaymentError: refusal })
    const claim = claimOf()
    const seen: unknown[] = []
    world.push.whenSubmitted = async ({ reference }) => {
      const [charge] = await chargesOf(world, intent.id)
      seen.push(charge, await readKey(world, claim), await readIntent(world, intent.id))
      expect(charge?.reference).toBe(reference)
      return accepted
    }

    await confirm(intent, {}, claim)

    const [charge] = await chargesOf(world, intent.id)
    expect(seen).toEqual([
      {
        ...makeCharge('submitting', { intentId: intent.id }),
        id: charge?.id,
        reference: charge?.reference,
        // Five seconds to begin sending, and the rail's own time-out. The first query is a second later.
        submitDeadlineMs: T0 + 7_000,
        nextQueryAtMs: T0 + 8_000,
        requestId: claim.requestId,
        revision: 0,
      },
      {
        status: null,
        body: null,
        should_retry: null,
        resource_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        fence: 1,
        held_until: T0 + 12_000,
        customer_id: null,
        expires_at: T0 + 86_400_000,
      },
      // The transaction that opens the next charge clears an earlier refusal.
      { ...intent, lastPaymentError: null, revision: intent.revision + 1 },
    ])
    const { rows } =
      await sql`select payer_msisdn from charges where payment_intent_id = ${uuidOf(intent.id)}::uuid`.execute(
        world.db.writer,
      )
    expect(rows).toEqual([{ payer_msisdn: PAYER }])
  })

  test('and sent with all that the rail needs, once', async () => {
    const intent = await saveWaiting()
    await confirm(intent, { locale: 'en' })
    const [charge] = await chargesOf(world, intent.id)
    expect(world.push.submitted).toEqual([
      {
        reference: charge?.reference,
        merchantId: ACME,
        object: intent.id,
        amountMinor: 1000,
        currency: 'XAF',
        payer: PAYER,
        locale: 'en',
        callbackUrl: `https://api.example/provider/push_rail/callback?ref=${charge?.reference}`,
        returnUrl: null,
        deadlineMs: T0 + 5_000,
      },
    ])
  })

  test('for the customer named, who is stamped, and stays on the intent', async () => {
    const customer = await saveCustomer(world, { usedAtMs: T0 - 1_000 })
    const intent = await saveWaiting()
    expect(await confirm(intent, { customer })).toMatchObject({ status: 200, body: { customer } })
    expect((await readIntent(world, intent.id))?.customerId).toBe(customer)
    expect((await chargesOf(world, intent.id)).map(({ customerId }) => customerId)).toEqual([customer])
    expect(await usedAt(world, customer)).toBe(T0)
  })

  test('for a customer whose stamp is later without moving it back [§4.3.6]', async () => {
    const customer = await saveCustomer(world, { usedAtMs: T0 + 1_000 })
    await confirm(await saveWaiting({ customerId: customer }))
    expect(await usedAt(world, customer)).toBe(T0 + 1_000)
  })
})

describe('no charge is opened, nothing is sent, and the answer is stored under the key', () => {
  const cases: Record<string, () => Promise<[Intent, Partial<ConfirmParams>, object]>> = {
    'for an intent that is processing': async () => [
      await saveIntent(world, makeIntent('processing')),
      {},
      { code: 'charge_in_progress' },
    ],
    'for one that is paid': async () => [
      await saveIntent(world, makeIntent('succeeded')),
      {},
      { code: 'charge_terminal' },
    ],
    'for one that is canceled': async () => [
      await saveIntent(world, makeIntent('canceled')),
      {},
      { code: 'intent_canceled' },
    ],
    'for one that does not exist': async () => [
      makeIntent('requires_payment_method'),
      {},
      { code: 'resource_missing' },
    ],
    'for another merchant’s': async () => [
      await saveWaiting({ merchantId: 'other' as typeof ACME }),
      {},
      { code: 'resource_missing' },
    ],
    'by a rail that it does not offer': async () => [
      await saveWaiting({ paymentMethodTypes: [REDIRECT] }),
      {},
      { code: 'invalid_request', param: 'payment_method_data[push_rail]' },
    ],
    'by a rail that settles in another currency (spec 3.1.2)': async () => [
      await saveWaiting({ currency: 'EUR' }),
      {},
      { code: 'invalid_request', param: 'payment_method_data[push_rail]' },
    ],
    'for a customer other than its own': async () => [
      await saveWaiting({ customerId: await saveCustomer(world) }),
      { customer: await saveCustomer(world) },
      { code: 'invalid_request', param: 'customer' },
    ],
    'for a customer that does not exist': async () => [
      await saveWaiting(),
      { customer: mintId('cus', T0) },
      { code: 'invalid_request', param: 'customer' },
    ],
    'for a customer that was erased': async () => [
      await saveWaiting(),
      { customer: await saveCustomer(world, { erased: true }) },
      { code: 'customer_erased', param: 'customer' },
    ],
    'when its own customer was erased': async () => [
      await saveWaiting({ customerId: await saveCustomer(world, { erased: true }) }),
      {},
      { code: 'customer_erased' },
    ],
    'beside a charge that may be live': async () => {
      const intent = await saveWaiting()
      await saveCharge(world, makeCharge('unconfirmed', { intentId: intent.id }))
      return [intent, {}, { code: 'charge_in_progress' }]
    },
  }

  test.each(Object.entries(cases))('%s', async (_case, prepare) => {
    const [intent, params, refused] = await prepare()
    const before = [await readIntent(world, intent.id), await chargesOf(world, intent.id)]
    const claim = claimOf()

    expect(await confirm(intent, params, claim)).toEqual({ param: undefined, ...refused })

    expect([await readIntent(world, intent.id), await chargesOf(world, intent.id)]).toEqual(before)
    expect(await typesOf(world, intent.id)).toEqual([])
    expect(world.push.submitted).toEqual([])
    // A repetition with the same key gets the stored answer.
    expect(await confirm(intent, params, claim)).toMatchObject({ replayed: true, body: { error: refused } })
  })

  test('but not for a disabled client, which gets 401 and stores no key', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    await sql`insert into disabled_clients (client_id, reason) values (${ACME}, 'test')`.execute(
      world.db.writer,
    )
    const refused = await confirm(intent, {}, claim)
    await sql`delete from disabled_clients`.execute(world.db.writer)
    expect(refused).toEqual({ code: 'authentication_error', param: undefined })
    expect(await readKey(world, claim)).toBeUndefined()
    expect(await chargesOf(world, intent.id)).toEqual([])
  })
})

describe('fifty confirms of one intent at once', () => {
  test('with different keys open one charge; each other one is refused, and its repetition gets the same refusal [§3.1.1]', async () => {
    const intent = await saveWaiting()
    const claims = Array.from({ length: 50 }, () => claimOf())
    const all = () => Promise.all(claims.map((claim) => confirm(intent, {}, claim)))

    const first = await all()

    expect(await chargesOf(world, intent.id)).toHaveLength(1)
    expect(world.push.submitted).toHaveLength(1)
    expect(first.filter((answer) => 'status' in answer)).toHaveLength(1)
    expect(first.filter((answer) => 'code' in answer && answer.code === 'charge_in_progress')).toHaveLength(
      49,
    )

    const again = await all()
    expect(again.map((answer) => ('replayed' in answer ? answer.replayed : answer))).toEqual(
      claims.map(() => true),
    )
    const codes = again.map((answer) => ('body' in answer ? (answer.body.error?.code ?? 'ok') : ''))
    expect(codes.toSorted()).toEqual([...Array.from({ length: 49 }, () => 'charge_in_progress'), 'ok'])
  })

  test('with one key open one charge, and all get the same answer', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(intent, {}, claim)))
    const final = answers.filter((answer) => 'status' in answer).map((answer) => JSON.stringify(answer.body))
    const refused = answers.flatMap((answer) => ('code' in answer ? [answer.code] : []))
    expect(new Set(final).size).toBe(1)
    expect(new Set(refused)).toEqual(new Set(refused.length === 0 ? [] : ['idempotency_key_in_flight']))
    expect(world.push.submitted).toHaveLength(1)
    const stored = await readIntent(world, intent.id)
    expect(final[0]).toBe(JSON.stringify(stored && renderPaymentIntent(stored)))
  })
})

describe('an erasure at the same moment', () => {
  test('that commits first refuses the confirm, which waits for it', async () => {
    const customer = await saveCustomer(world)
    const intent = await saveWaiting({ customerId: customer })
    const { promise: confirmed } = await world.db.transact(async (tx) => {
      await markErased(tx, customer)
      const promise = confirm(intent)
      await untilWaiting(world)
      return { promise }
    })
    expect(await confirmed).toEqual({ code: 'customer_erased' })
    expect(await chargesOf(world, intent.id)).toEqual([])
  })

  test('of a customer who is just being named is a refusal too', async () => {
    const customer = await saveCustomer(world)
    const intent = await saveWaiting()
    const { promise: confirmed } = await world.db.transact(async (tx) => {
      await markErased(tx, customer)
      const promise = confirm(intent, { customer })
      await untilWaiting(world)
      return { promise }
    })
    expect(await confirmed).toEqual({ code: 'customer_erased', param: 'customer' })
    expect((await readIntent(world, intent.id))?.customerId).toBeNull()
  })
})
