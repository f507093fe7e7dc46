import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  CHARGES_MAX,
  OPENINGS_OF_INTENT_MAX,
  PAYER_CHARGES_MAX,
  PAYER_KEYS_MAX,
} from '../src/base/attempts.ts'
import { batchWrites } from '../src/commit/writes.ts'
import { KEY_LIFE_MS, type KeyClaim } from '../src/commit/key.ts'
import { settleRefusal } from '../src/commit/answers.ts'
import { uuidOf } from '../src/base/ids.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { accepted, declined, makeCharge, makeIntent, notSent, T0, unknown } from './make.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  openWorld,
  orCode,
  readKey,
  saveCharge,
  saveIntent,
} from './world.ts'

const world = await openWorld()
beforeEach(() => {
  world.nowMs = T0
  world.push.submitted.length = 0
  world.push.whenSubmitted = () => ({ kind: 'declined', decline: declined })
})
afterAll(() => world.stop())

const waiting = () => saveIntent(world, makeIntent('requires_payment_method'))

const byMerchant = () => claimOf()
const byPayer = ({ id }: Intent): KeyClaim => ({ ...claimOf(), scope: `browser:${id}` })

/** The confirm's status, or the code of its refusal. */
const confirm = (intent: Intent, claim: KeyClaim, deps = world): Promise<number | string> =>
  orCode(confirmIntent(deps, claim, intent.id, confirmation()).then(({ status }) => status))

async function confirmTimes(times: number, intent: Intent, claimFor: (intent: Intent) => KeyClaim) {
  const answers: (number | string)[] = []
  for (let n = 0; n < times; n += 1) answers.push(await confirm(intent, claimFor(intent)))
  return answers
}

const many = <T>(length: number, of: T): T[] => Array.from({ length }, () => of)

const keysOf = async ({ id }: Intent): Promise<number> => {
  const { kept } = await world.db.reader
    .selectFrom('idempotency_keys')
    .select(sql<number>`count(*)`.as('kept'))
    .where('scope', '=', `browser:${id}`)
    .executeTakeFirstOrThrow()
  return kept
}

const placesOf = async ({ id }: Intent) => {
  const rows = await world.db.reader
    .selectFrom('charges')
    .select('attempt')
    .where('payment_intent_id', '=', uuidOf(id))
    .orderBy('id')
    .execute()
  return rows.map(({ attempt }) => attempt)
}

describe('the charges of one intent', () => {
  test('that its payers open end at their limit, and the merchant opens the rest', async () => {
    const intent = await waiting()
    expect(await confirmTimes(PAYER_CHARGES_MAX, intent, byPayer)).toEqual(many(PAYER_CHARGES_MAX, 200))
    expect(await confirmTimes(2, intent, byPayer)).toEqual(many(2, 'too_many_attempts'))
    const rest = CHARGES_MAX - PAYER_CHARGES_MAX
    expect(await confirmTimes(rest, intent, byMerchant)).toEqual(many(rest, 200))
    expect(await confirmTimes(2, intent, byMerchant)).toEqual(many(2, 'too_many_attempts'))
    expect(world.push.submitted).toHaveLength(CHARGES_MAX)
    expect(await placesOf(intent)).toEqual(Array.from({ length: CHARGES_MAX }, (_, n) => n + 1))
  })

  test.each([
    ['by merchants', byMerchant, CHARGES_MAX],
    ['by payers', byPayer, PAYER_CHARGES_MAX],
  ])(
    'that fifty confirms at once %s open, time and again, are no more than the limit',
    async (_, by, max) => {
      const intent = await waiting()
      // Each process batches only the writes of its own requests.
      const processes = Array.from({ length: 5 }, () => ({ ...world, writes: batchWrites(world.db.writer) }))
      const answers = new Set<number | string>()
      while (!answers.has('too_many_attempts')) {
        const wave = processes.flatMap((deps) =>
          Array.from({ length: 10 }, () => confirm(intent, by(intent), deps)),
        )
        for (const answer of await Promise.all(wave)) answers.add(answer)
      }
      const known = [200, 'charge_in_progress', 'too_many_attempts']
      expect([...answers].filter((answer) => !known.includes(answer))).toEqual([])
      const opened = await chargesOf(world, intent.id)
      expect(world.push.submitted).toHaveLength(opened.length)
      expect(opened.length).toBeLessThanOrEqual(max)
      // A payer's attempts may end sooner, at the limit of keys.
      if (by === byMerchant) expect(opened).toHaveLength(max)
    },
  )

  test('count those that a release without the limit has opened', async () => {
    const intent = await waiting()
    const { id: intentId, merchantId } = intent
    for (let n = 0; n < CHARGES_MAX - 1; n += 1)
      await saveCharge(world, makeCharge('failed', { intentId, merchantId }))
    expect(await confirm(intent, byMerchant())).toBe(200)
    expect(await placesOf(intent)).toEqual([...many(CHARGES_MAX - 1, null), CHARGES_MAX])
    expect(await confirm(intent, byMerchant())).toBe('too_many_attempts')
  })

  test('do not count if they never reached the rail, up to the limit of openings', async () => {
    const intent = await waiting()
    world.push.whenSubmitted = () => notSent
    const away = await confirmTimes(OPENINGS_OF_INTENT_MAX - 1, intent, byMerchant)
    expect(new Set(away)).toEqual(new Set(['provider_unavailable']))
    world.push.whenSubmitted = () => ({ kind: 'declined', decline: declined })
    expect(await confirm(intent, byPayer(intent))).toBe(200)
    expect(await confirm(intent, byMerchant())).toBe('too_many_attempts')
  })

  test('while the last allowed charge is unresolved, another confirm is refused as in progress, not as one too many', async () => {
    const intent = await waiting()
    await confirmTimes(PAYER_CHARGES_MAX - 1, intent, byPayer)
    world.push.whenSubmitted = () => unknown
    expect(await confirm(intent, byPayer(intent))).toBe('provider_unavailable')
    expect(await confirm(intent, byPayer(intent))).toBe('charge_in_progress')
  })

  test('PostgreSQL refuses an attempt number that is taken, and one above the limit', async () => {
    const intent = await waiting()
    await confirm(intent, byMerchant())
    const [charge] = await chargesOf(world, intent.id)
    const copy = (place: number) =>
      sql`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
          submit_deadline, attempt)
        select merchant_id, gen_random_uuid(), payment_intent_id, rail, status, amount, currency, gen_random_uuid(),
          opened_at, submit_deadline, ${place}::smallint
        from charges where id = ${uuidOf(charge?.id ?? intent.id)}::uuid`.execute(world.db.writer)
    await expect(copy(1)).rejects.toThrow('charges_attempt')
    await expect(copy(0)).rejects.toThrow('charges_attempt_bounded')
    await expect(copy(OPENINGS_OF_INTENT_MAX + 1)).rejects.toThrow('charges_attempt_bounded')
    await copy(OPENINGS_OF_INTENT_MAX)
  })
})

describe('the keys that payers leave behind', () => {
  const refusal = new Refusal('invalid_request', 'is required', { param: 'payment_method_data' })
  const refuse = (claim: KeyClaim, nowMs = T0) => orCode(settleRefusal(world.db, claim, refusal, nowMs))

  test('are bounded; what was answered before is replayed, and the merchant’s keys are other keys', async () => {
    const intent = await waiting()
    const claims = Array.from({ length: PAYER_KEYS_MAX }, () => byPayer(intent))
    for (const claim of claims) expect(await refuse(claim)).toBe('invalid_request')
    const over = byPayer(intent)
    expect(await refuse(over)).toBe('too_many_attempts')
    expect(await confirm(intent, over)).toBe('too_many_attempts')
    expect(await keysOf(intent)).toBe(PAYER_KEYS_MAX)
    expect(await readKey(world, over)).toBeUndefined()
    expect(await chargesOf(world, intent.id)).toEqual([])
    for (const claim of claims) expect(await refuse(claim)).toMatchObject({ status: 400, replayed: true })
    expect(await refuse(byMerchant())).toBe('invalid_request')
    world.push.whenSubmitted = () => accepted
    expect(await confirm(intent, byMerchant())).toBe(200)
  })

  test('make room once their 24 hours are over', async () => {
    const intent = await waiting()
    for (let n = 0; n < PAYER_KEYS_MAX; n += 1) await refuse(byPayer(intent))
    world.nowMs = T0 + KEY_LIFE_MS
    expect(await refuse(byPayer(intent), world.nowMs)).toBe('invalid_request')
    expect(await confirm(intent, byPayer(intent))).toBe(200)
  })

  test('let a request run again that a 502 has released', async () => {
    const intent = await waiting()
    const claim = byPayer(intent)
    world.push.whenSubmitted = () => notSent
    expect(await confirm(intent, claim)).toBe('provider_unavailable')
    for (let n = 1; n < PAYER_KEYS_MAX; n += 1) await refuse(byPayer(intent))
    expect(await confirm(intent, byPayer(intent))).toBe('too_many_attempts')
    world.push.whenSubmitted = () => accepted
    expect(await confirm(intent, claim)).toBe(200)
  })
})
