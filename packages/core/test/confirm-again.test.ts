import type { ChargeStatus } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { KeyClaim } from '../src/commit/key.ts'
import { uuidOf } from '../src/base/ids.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { renderPaymentIntent } from '../src/payment-intents/render.ts'
import type { SubmitOutcome } from '../src/rails/port.ts'
import {
  accepted,
  declined,
  makeCharge,
  makeIntent,
  makeSession,
  notSent,
  paid,
  T0,
  unknown,
} from './make.ts'
import { settleCharges } from './passes.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  dieSubmitting,
  markErased,
  openWorld,
  orCode,
  readIntent,
  readKey,
  saveCharge,
  saveCustomer,
  saveIntent,
  saveSession,
} from './world.ts'

const world = await openWorld()
beforeEach(() => {
  world.nowMs = T0
})
afterAll(() => world.stop())

/** The confirm's answer without its body, or the code of its refusal. */
const confirm = (intent: Intent, claim: KeyClaim, customer: string | null = null) =>
  orCode(
    confirmIntent(world, claim, intent.id, { ...confirmation(), customer }).then(({ status, replayed }) => ({
      status,
      replayed,
    })),
  )

/** An intent after a confirm with this answer of the rail, and the key that was released. */
async function released(outcome: SubmitOutcome, fields: Partial<Intent> = {}) {
  const intent = await saveIntent(world, makeIntent('requires_payment_method', fields))
  const claim = claimOf()
  world.push.whenSubmitted = () => outcome
  expect(await confirm(intent, claim)).toBe('provider_unavailable')
  world.push.whenSubmitted = () => accepted
  world.push.submitted.length = 0
  return { intent, claim }
}

/** The state that a request leaves if it dies after claiming its key and finding a live charge. */
async function claimedWithoutCharge(): Promise<KeyClaim> {
  const claim = claimOf()
  await sql`insert into idempotency_keys (merchant_id, scope, key, fingerprint, resource_id, held_until, expires_at)
    values ('acme', 'v1', ${claim.key}, ${claim.fingerprint}, gen_random_uuid(), ${new Date(T0).toISOString()}::timestamptz,
      ${new Date(T0 + 86_400_000).toISOString()}::timestamptz)`.execute(world.db.writer)
  return claim
}

const statusesOf = async (intent: Intent) => (await chargesOf(world, intent.id)).map(({ status }) => status)
const set = (table: string, status: string, id: Parameters<typeof uuidOf>[0], column = 'id') =>
  sql`update ${sql.table(table)} set status = ${status}, revision = revision + 1 where ${sql.ref(column)} = ${uuidOf(id)}::uuid`.execute(
    world.db.writer,
  )

describe('the same request after a 502 continues the charge that its key is linked to', () => {
  test.each([
    ['failed', ['failed']],
    ['succeeded', ['succeeded']],
    ['duplicate', ['duplicate']],
  ] as const)('and answers with the intent once that is %s', async (status, moves) => {
    const { intent, claim } = await released(unknown)
    for (const move of moves) await set('charges', move, intent.id, 'payment_intent_id')

    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: false })

    expect(await statusesOf(intent)).toEqual([status])
    expect(world.push.submitted).toEqual([])
    expect(await readKey(world, claim)).toMatchObject({ status: 200, held_until: null })
    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: true })
  })

  test.each([
    ['unconfirmed', []],
    ['live', ['live']],
  ] as const)(
    'and stores no refusal while that is %s, so that the outcome can be learned later',
    async (_, moves) => {
      const { intent, claim } = await released(unknown)
      for (const move of moves) await set('charges', move, intent.id, 'payment_intent_id')

      for (let n = 0; n < 2; n += 1) expect(await confirm(intent, claim)).toBe('charge_in_progress')
      expect(await readKey(world, claim)).toMatchObject({ status: null })

      await set('charges', 'succeeded', intent.id, 'payment_intent_id')
      expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: false })
      expect(await statusesOf(intent)).toEqual(['succeeded'])
      expect(world.push.submitted).toEqual([])
    },
  )

  test('and answers with the present state of the intent', async () => {
    const { intent, claim } = await released(unknown)
    await set('charges', 'failed', intent.id, 'payment_intent_id')
    await sql`update payment_intents set error_code = 'not_accepted', error_rail = 'push_rail' where id = ${uuidOf(intent.id)}::uuid`.execute(
      world.db.writer,
    )
    const { body } = await confirmIntent(world, claim, intent.id, confirmation())
    const after = await readIntent(world, intent.id)
    expect(after?.lastPaymentError?.code).toBe('not_accepted')
    expect(body).toBe(JSON.stringify(after && renderPaymentIntent(after)))
  })

  test('or opens another charge if that one was abandoned', async () => {
    const { intent, claim } = await released(notSent)
    const [first] = await chargesOf(world, intent.id)

    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: false })

    expect(await statusesOf(intent)).toEqual(['abandoned', 'live'])
    const [, second] = await chargesOf(world, intent.id)
    expect(second?.reference).not.toBe(first?.reference)
    expect(world.push.submitted.map(({ reference }) => reference)).toEqual([second?.reference])
    const key = await readKey(world, claim)
    expect(key).toMatchObject({ status: 200, fence: 2 })
    expect(key?.resource_id?.replaceAll('-', '')).toBe(second && uuidOf(second.id))
    expect((await readIntent(world, intent.id))?.status).toBe('processing')
  })

  test('or answers with the intent if an earlier charge has paid it, because a new charge would pay twice', async () => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    world.push.whenSubmitted = () => ({ kind: 'declined', decline: declined })
    await confirm(intent, claimOf())
    const claim = claimOf()
    world.push.whenSubmitted = () => notSent
    expect(await confirm(intent, claim)).toBe('provider_unavailable')
    const [refused] = await chargesOf(world, intent.id)
    world.push.whenAsked = ({ reference }) =>
      reference === refused?.reference ? paid : { kind: 'not_found' }
    world.nowMs += 60_000
    await settleCharges(world)
    world.push.whenSubmitted = () => accepted
    world.push.submitted.length = 0

    const answer = await confirmIntent(world, claim, intent.id, confirmation())

    const after = await readIntent(world, intent.id)
    expect(after?.status).toBe('succeeded')
    const body = JSON.stringify(after && renderPaymentIntent(after))
    expect(answer).toEqual({ status: 200, body, shouldRetry: null, replayed: false })
    expect(await readKey(world, claim)).toMatchObject({ status: 200, body, held_until: null })
    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: true })
    expect(await statusesOf(intent)).toEqual(['succeeded', 'abandoned'])
    expect(world.push.submitted).toEqual([])
    expect(await confirm(intent, claimOf())).toBe('charge_terminal')
  })

  test('or opens another charge each time, as long as nothing is sent', async () => {
    const { intent, claim } = await released(notSent)
    world.push.whenSubmitted = () => notSent
    for (let n = 0; n < 3; n += 1) expect(await confirm(intent, claim)).toBe('provider_unavailable')
    world.push.whenSubmitted = () => accepted
    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: false })
    expect(await statusesOf(intent)).toEqual(['abandoned', 'abandoned', 'abandoned', 'abandoned', 'live'])
  })
})

describe('a request whose process died', () => {
  const killed = async () => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    const claim = claimOf()
    await dieSubmitting(world, intent, claim)
    return { intent, claim }
  }

  test('is in flight until its hold ends, just past the rail’s longest deadline', async () => {
    const { intent, claim } = await killed()
    world.nowMs = T0 + 11_999
    expect(await confirm(intent, claim)).toBe('idempotency_key_in_flight')
    world.nowMs = T0 + 12_000
    expect(await confirm(intent, claim)).toBe('charge_in_progress')
    expect(await statusesOf(intent)).toEqual(['submitting'])
    expect(world.push.submitted).toEqual([])
  })

  test('is never mistaken for another request with its key', async () => {
    const { intent, claim } = await killed()
    world.nowMs = T0 + 12_000
    expect(await confirm(intent, claimOf(claim.key, 'another=body'))).toBe('idempotency_key_in_use')
  })
})

describe('a charge is not opened again', () => {
  test('for an intent that was canceled meanwhile', async () => {
    const { intent, claim } = await released(notSent)
    await cancelIntent(world, claimOf(), intent.id, null)
    expect(await confirm(intent, claim)).toBe('intent_canceled')
    expect(await statusesOf(intent)).toEqual(['abandoned'])
  })

  test('for one that was paid meanwhile', async () => {
    const { intent, claim } = await released(notSent)
    await saveCharge(world, makeCharge('succeeded', { intentId: intent.id }))
    await set('payment_intents', 'succeeded', intent.id)
    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: false })
    expect(await statusesOf(intent)).toEqual(['abandoned', 'succeeded'])
    expect(world.push.submitted).toEqual([])
  })

  test('for one that was paid meanwhile, though the first attempt lost its race and died', async () => {
    const intent = await saveIntent(world, makeIntent('succeeded'))
    const claim = await claimedWithoutCharge()
    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: false })
    expect(await statusesOf(intent)).toEqual(['succeeded'])
  })

  test('for one that was paid meanwhile, by a payer whose session has ended with that', async () => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    const { id: session } = await saveSession(world, makeSession(intent, 'open'))
    const claim = claimOf()
    const bySession = () =>
      orCode(
        confirmIntent(world, claim, intent.id, confirmation(), {
          session,
          render: ({ status }) => ({ status }),
        }),
      )
    world.push.whenSubmitted = () => notSent
    expect(await bySession()).toBe('provider_unavailable')
    await saveCharge(world, makeCharge('succeeded', { intentId: intent.id }))
    await set('payment_intents', 'succeeded', intent.id)
    await sql`update checkout_sessions set status = 'complete', payment_status = 'paid' where id = ${uuidOf(session)}::uuid`.execute(
      world.db.writer,
    )
    expect(await bySession()).toMatchObject({ status: 200, body: '{"status":"succeeded"}', replayed: false })
  })

  test.each<[ChargeStatus, Intent['status']]>([
    ['live', 'processing'],
    ['unconfirmed', 'requires_payment_method'],
    ['submitting', 'requires_payment_method'],
  ])('beside one that another confirm opened and that is %s', async (status, intentStatus) => {
    const { intent, claim } = await released(notSent)
    await saveCharge(world, makeCharge(status, { intentId: intent.id }))
    if (intentStatus === 'processing') await set('payment_intents', 'processing', intent.id)
    expect(await confirm(intent, claim)).toBe('charge_in_progress')
    expect(await statusesOf(intent)).toEqual(['abandoned', status])
    expect(world.push.submitted).toEqual([])
  })

  test('for a customer who was erased meanwhile', async () => {
    const customerId = await saveCustomer(world)
    const { intent, claim } = await released(notSent, { customerId })
    await markErased(world.db.writer, customerId)
    expect(await confirm(intent, claim)).toBe('customer_erased')
    expect(await statusesOf(intent)).toEqual(['abandoned'])
    expect(world.push.submitted).toEqual([])
  })
})

describe('a charge that is opened again', () => {
  test('clears the refusal of the charge in between', async () => {
    const { intent, claim } = await released(notSent)
    world.push.whenSubmitted = () => ({ kind: 'declined', decline: declined })
    await confirm(intent, claimOf())
    expect((await readIntent(world, intent.id))?.lastPaymentError?.code).toBe('insufficient_funds')
    world.push.whenSubmitted = () => accepted
    expect(await confirm(intent, claim)).toEqual({ status: 200, replayed: false })
    expect(await readIntent(world, intent.id)).toMatchObject({ status: 'processing', lastPaymentError: null })
  })

  test('is for the customer named, also when the first attempt lost its race and died', async () => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    const customer = await saveCustomer(world)
    const claim = await claimedWithoutCharge()
    world.push.whenSubmitted = () => accepted
    expect(await confirm(intent, claim, customer)).toEqual({ status: 200, replayed: false })
    expect(await chargesOf(world, intent.id)).toMatchObject([{ status: 'live', customerId: customer }])
    expect((await readIntent(world, intent.id))?.customerId).toBe(customer)
  })

  test('is opened once by fifty concurrent retries', async () => {
    const { intent, claim } = await released(notSent)
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(intent, claim)))
    expect(await statusesOf(intent)).toEqual(['abandoned', 'live'])
    expect(world.push.submitted).toHaveLength(1)
    const allowed = [
      'idempotency_key_in_flight',
      { status: 200, replayed: true },
      { status: 200, replayed: false },
    ]
    for (const answer of answers) expect(allowed).toContainEqual(answer)
    expect(answers.filter((answer) => typeof answer === 'object' && !answer.replayed)).toHaveLength(1)
  })
})
