import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { WAITING_OF_OWNER_MAX } from '../src/commit/batch.ts'
import type { KeyClaim } from '../src/commit/key.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { renderPaymentIntent } from '../src/payment-intents/render.ts'
import { transitions } from '../src/payment-intents/transitions.ts'
import type { SubmitOutcome } from '../src/rails/port.ts'
import { accepted, declined, makeIntent, notSent, paid, PUSH, REDIRECT, T0, unknown } from './make.ts'
import { settleCharges } from './passes.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  dieSubmitting,
  openWorld,
  orCode,
  readIntent,
  readKey,
  saveIntent,
  typesOf,
  type World,
} from './world.ts'

const world = await openWorld()
beforeEach(async () => {
  world.nowMs = T0
  world.alerts.length = 0
  world.push.submitted.length = 0
  // Removes the jobs that other tests left for the worker.
  await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
})
afterAll(() => world.stop())

const saveWaiting = () => saveIntent(world, makeIntent('requires_payment_method'))

/** The confirm's answer, or the code of its refusal. */
const confirm = (intent: Intent, claim: KeyClaim, rail = PUSH) =>
  orCode(confirmIntent(world, claim, intent.id, confirmation(rail)))

/** The rows that a confirm leaves once all its commits are done. */
async function remains(intent: Intent, claim: KeyClaim) {
  const [charge] = await chargesOf(world, intent.id)
  const after = await readIntent(world, intent.id)
  const key = await readKey(world, claim)
  return {
    charge: charge?.status,
    intent: after?.status,
    error: after?.lastPaymentError?.code ?? null,
    events: await typesOf(world, intent.id),
    key: key?.status ?? 'released',
    held: key?.held_until ?? null,
  }
}

const redirectUrl = 'https://rail.example/p/1'
const redirected: SubmitOutcome = { kind: 'accepted', railToken: 'tok', callbackSecret: 'sec', redirectUrl }
const refused: SubmitOutcome = { kind: 'declined', decline: declined }

describe('the second commit', () => {
  const nothing = { intent: 'requires_payment_method', error: null, events: [], key: 'released', held: null }
  test.each([
    [
      'accepted, by a push rail',
      PUSH,
      accepted,
      { charge: 'live', intent: 'processing', error: null, events: [], key: 200, held: null },
    ],
    [
      'accepted, by a redirect rail',
      REDIRECT,
      redirected,
      { charge: 'live', intent: 'processing', error: null, events: [], key: 200, held: null },
    ],
    [
      'declined',
      PUSH,
      refused,
      {
        charge: 'failed',
        intent: 'requires_payment_method',
        error: 'insufficient_funds',
        events: ['payment_intent.payment_failed'],
        key: 200,
        held: null,
      },
    ],
    ['not sent', PUSH, notSent, { ...nothing, charge: 'abandoned' }],
    ['unknown', PUSH, unknown, { ...nothing, charge: 'unconfirmed' }],
    ['unknown, where no money can move', REDIRECT, unknown, { ...nothing, charge: 'abandoned' }],
  ] as const)('of an answer that is %s', async (_case, rail, outcome, expected) => {
    const intent = await saveWaiting()
    const claim = claimOf()
    world.push.whenSubmitted = () => outcome
    world.redirect.whenSubmitted = () => outcome

    const answer = await confirm(intent, claim, rail)

    expect(await remains(intent, claim)).toEqual(expected)
    const after = await readIntent(world, intent.id)
    const body = JSON.stringify(after && renderPaymentIntent(after))
    expect(answer).toEqual(
      expected.key === 200
        ? { status: 200, body, shouldRetry: null, replayed: false }
        : 'provider_unavailable',
    )
    expect((await readKey(world, claim))?.body).toBe(expected.key === 200 ? body : null)
  })

  test('of a redirect sends the payer to the rail and back', async () => {
    const intent = await saveWaiting()
    world.redirect.whenSubmitted = () => redirected
    await confirm(intent, claimOf(), REDIRECT)
    const after = await readIntent(world, intent.id)
    expect(after && renderPaymentIntent(after).next_action).toEqual({
      type: 'redirect_to_url',
      redirect_to_url: { url: redirectUrl, return_url: 'https://shop.example/back' },
    })
    expect(await chargesOf(world, intent.id)).toMatchObject([{ railToken: 'tok', callbackSecret: 'sec' }])
  })

  test.each([
    ['its code', 'NOT_ALLOWED', 'NOT_ALLOWED'],
    ['no code that could be a text about the payer', 'Unknown msisdn 237677000001', null],
  ])('of a refusal of ours, not the payer’s, is an alert with %s', async (_, railCode, alerted) => {
    world.push.whenSubmitted = () => ({
      kind: 'declined',
      decline: { ...declined, code: 'rail_misconfigured', actor: 'merchant_config', railCode },
    })
    const intent = await saveWaiting()
    await confirm(intent, claimOf())
    const [charge] = await chargesOf(world, intent.id)
    expect(charge?.railCode).toBe(railCode)
    expect(world.alerts).toEqual([
      { name: 'rail_misconfigured', facts: { rail: PUSH, charge: charge?.id, rail_code: alerted } },
    ])
  })

  test.each([
    ['the rail refuses our credentials', 'submit', 401, true],
    ['the rail refuses the key for a token', 'token', 401, true],
    ['the rail refuses the key for a token as an error of its own', 'token', 500, true],
    ['the rail gives nobody a token', 'token', 503, false],
    ['the rail limits how often we ask for a token', 'token', 429, false],
    ['the rail limits how often we ask', 'submit', 429, false],
    ['no connection for the token was made', 'token', null, false],
    ['no connection was made', 'submit', null, false],
  ] as const)(
    'that was not sent because %s: alert if we must act',
    async (_, operation, httpStatus, isOurs) => {
      const evidence = { operation, httpStatus, railCode: 'login_failed', errno: null, elapsedMs: 3 }
      world.push.whenSubmitted = () => ({ kind: 'not_sent', evidence })
      const intent = await saveWaiting()
      await confirm(intent, claimOf())
      const [charge] = await chargesOf(world, intent.id)
      expect(charge?.status).toBe('abandoned')
      const facts = {
        rail: PUSH,
        charge: charge?.id,
        rail_code: 'login_failed',
        operation,
        http_status: httpStatus,
      }
      expect(world.alerts).toEqual(isOurs ? [{ name: 'rail_misconfigured', facts }] : [])
      const { rows } = await sql`select alert from raised_alerts where object = ${charge?.id}`.execute(
        world.db.writer,
      )
      expect(rows).toEqual(isOurs ? [{ alert: 'rail_misconfigured' }] : [])
    },
  )
})

describe('an intent that is canceled while the rail is called', () => {
  const canceledWhile = (outcome: SubmitOutcome, intent: Intent) => {
    world.push.whenSubmitted = async () => {
      await cancelIntent(world, claimOf(), intent.id, null)
      return outcome
    }
  }

  test.each([
    [accepted, 'live', 200],
    [refused, 'failed', 200],
    [notSent, 'abandoned', 'released'],
    [unknown, 'unconfirmed', 'released'],
  ] as const)('stays canceled, whatever the rail answers: %o', async (outcome, charge, key) => {
    const intent = await saveWaiting()
    const claim = claimOf()
    canceledWhile(outcome, intent)

    const answer = await confirm(intent, claim)

    expect(await remains(intent, claim)).toEqual({
      charge,
      intent: 'canceled',
      error: null,
      events: ['payment_intent.canceled'],
      key,
      held: null,
    })
    const after = await readIntent(world, intent.id)
    const body = JSON.stringify(after && renderPaymentIntent(after))
    expect(answer).toEqual(
      key === 200 ? { status: 200, body, shouldRetry: null, replayed: false } : 'provider_unavailable',
    )
  })

  test('is paid by a late success of its charge', async () => {
    const intent = await saveWaiting()
    canceledWhile(accepted, intent)
    await confirm(intent, claimOf())
    world.push.whenAsked = () => paid
    world.nowMs += 60_000
    await settleCharges(world)
    expect(await readIntent(world, intent.id)).toMatchObject({
      status: 'succeeded',
      canceledAtMs: null,
      cancellationReason: null,
    })
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.canceled', 'payment_intent.succeeded'])
  })
})

describe('a rail that answers late', () => {
  test('finds what the worker has settled meanwhile, and confirm answers with it', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    world.push.whenSubmitted = async () => {
      world.push.whenAsked = () => paid
      world.nowMs += 8_000
      await settleCharges(world)
      return accepted
    }
    const answer = await confirm(intent, claim)
    expect(await remains(intent, claim)).toEqual({
      charge: 'succeeded',
      intent: 'succeeded',
      error: null,
      events: ['payment_intent.succeeded'],
      key: 200,
      held: null,
    })
    expect(answer).toMatchObject({
      status: 200,
      body: expect.stringContaining('"status":"succeeded"') as string,
    })
  })

  test('after the hold of its key ended is still recorded and answered', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    world.push.whenSubmitted = async () => {
      world.nowMs += 60_000
      expect(await confirm(intent, claim)).toBe('charge_in_progress')
      return accepted
    }
    expect(await confirm(intent, claim)).toMatchObject({ status: 200, replayed: false })
    expect(await remains(intent, claim)).toMatchObject({ charge: 'live', intent: 'processing', key: 200 })
    expect(world.push.submitted).toHaveLength(1)
  })
})

describe('the answer of a rail', () => {
  test('is written however many other answers of the merchant wait', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    const others: Promise<boolean>[] = []
    world.push.whenSubmitted = () => {
      // These intents are in no table, so PostgreSQL writes none of the answers.
      for (let n = 0; n <= WAITING_OF_OWNER_MAX; n += 1) {
        const transition = { intent: makeIntent('processing'), change: null, charge: null, key: null }
        others.push(world.writes.together(transitions, { transition, nowMs: T0 }))
      }
      return accepted
    }
    expect(await confirm(intent, claim)).toMatchObject({ status: 200 })
    expect(await remains(intent, claim)).toMatchObject({ charge: 'live', intent: 'processing', key: 200 })
    expect(new Set(await Promise.all(others))).toEqual(new Set([false]))
  })
})

describe('a process that dies after the first commit', () => {
  test('leaves a charge that the worker resolves, and that is never sent again', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    await dieSubmitting(world, intent, claim)
    expect(await remains(intent, claim)).toMatchObject({
      charge: 'submitting',
      key: 'released',
      held: T0 + 12_000,
    })

    world.push.whenAsked = () => paid
    world.nowMs = T0 + 7_999
    expect(await settleCharges(world)).toEqual({ claimed: 0, moved: 0 })
    world.nowMs = T0 + 8_000
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
    expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
    expect(world.push.submitted).toEqual([])
  })
})

describe('an error after the first commit', () => {
  const busy = new Refusal('service_unavailable', 'busy')

  test.each([
    ['a fault of ours, before the rail is called', 'confirm.charge_committed', new Error('a bug')],
    ['a fault of ours, after the rail has accepted', 'confirm.rail_answered', new Error('a bug')],
    ['a 503, after the rail has accepted', 'confirm.rail_answered', busy],
  ] as const)('releases the key at once, and the charge is found by the worker: %s', async (_, at, error) => {
    const intent = await saveWaiting()
    const claim = claimOf()
    world.push.whenSubmitted = () => accepted
    const fault: World['fault'] = (point) => {
      if (point === at) throw error
    }
    await expect(confirmIntent({ ...world, fault }, claim, intent.id, confirmation())).rejects.toBe(error)
    expect(await remains(intent, claim)).toMatchObject({ charge: 'submitting', key: 'released', held: null })
    expect(await confirm(intent, claim)).toBe('charge_in_progress')
    world.push.whenAsked = () => paid
    world.nowMs += 60_000
    await settleCharges(world)
    expect(await confirm(intent, claim)).toMatchObject({ status: 200, replayed: false })
  })

  test('releases the key: an answer of the rail that loses each race', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    world.push.whenSubmitted = () => accepted
    const writes: World['writes'] = {
      ...world.writes,
      together: (shared, item) =>
        (shared as unknown) === transitions
          ? Promise.resolve(false as never)
          : world.writes.together(shared, item),
    }
    const end = orCode(confirmIntent({ ...world, writes }, claim, intent.id, confirmation()))
    expect(await end).toBe('provider_unavailable')
    expect(await remains(intent, claim)).toMatchObject({ charge: 'submitting', key: 'released', held: null })
  })

  test('releases the key: a refusal that PostgreSQL does not store', async () => {
    const intent = await saveWaiting()
    await dieSubmitting(world, intent, claimOf())
    const claim = claimOf()
    const run = (text: string) => sql.raw(text).execute(world.owner.writer)
    await run(`create function refuse_answers() returns trigger language plpgsql as
      $$ begin raise 'no answers'; end $$`)
    await run(`create trigger refuse_answers before update on idempotency_keys for each row
      when (new.status is not null) execute function refuse_answers()`)
    await expect(confirm(intent, claim)).rejects.toThrow('no answers')
    await run('drop trigger refuse_answers on idempotency_keys')
    expect(await readKey(world, claim)).toMatchObject({ status: null, held_until: null })
    expect(await confirm(intent, claim)).toBe('charge_in_progress')
  })
})
