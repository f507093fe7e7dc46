import { instant, sqlState } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type Charge, moveCharge } from '../src/charges/charge.ts'
import { recordRaised } from '../src/attention/record.ts'
import { AFTER_WATCH_MS } from '../src/charges/ladder.ts'
import { alertOfLostProofs } from '../src/charges/lost-proofs.ts'
import { pullForward } from '../src/charges/store.ts'
import { UNKNOWN_RAIL_WAIT_MS } from '../src/queue/floors.ts'
import { uuidOf } from '../src/base/ids.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import type { QueryOutcome, RailCode } from '../src/rails/port.ts'
import { writeTransitions } from '../src/payment-intents/transitions.ts'
import { makeCharge, makeIntent, paid, unavailable } from './make.ts'
import { settleCharges } from './passes.ts'
import { openWorld, readCharge, readIntent, saveCharge, saveIntent, typesOf } from './world.ts'

const DAY_MS = 86_400_000
/** The SQL function uses the database's clock, and so does this test. */
const now = () => Date.now()

const world = await openWorld()
afterEach(() => world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute()))
afterAll(() => world.stop())

/** An intent with a charge opened eight days ago, which is past its ladder. */
async function save<I extends Intent, C extends Charge>(intent: I, charge: C) {
  const openedAtMs = now() - 8 * DAY_MS
  const nextQueryAtMs = charge.nextQueryAtMs === null ? null : now() + DAY_MS
  const times = { openedAtMs, submitDeadlineMs: openedAtMs + 7_000, nextQueryAtMs }
  world.alerts.length = 0
  world.push.asked.length = 0
  world.push.whenAsked = () => unavailable
  await saveIntent(world, intent)
  return { intent, charge: await saveCharge(world, { ...charge, ...times, intentId: intent.id }) }
}

const resolve = (charge: string, outcome = 'succeeded', reason = 'statement of 21 November') =>
  sql<{ payment_intent: string }>`
    select replace(payment_intent_id::text, '-', '') as payment_intent, rail, reference, amount, currency, status, ruling
    from ops_resolve_charge(${charge}, ${outcome}, ${reason}, 'ada')`.execute(world.db.writer)

const setDue = ({ id }: Charge, atMs: number) =>
  world.db.transact((tx) =>
    tx
      .updateTable('charge_jobs')
      .set({ due_at: instant(atMs) })
      .where('charge_id', '=', uuidOf(id))
      .execute(),
  )
const setDeadline = ({ id }: Charge, atMs: number) =>
  world.db.transact((tx) =>
    tx
      .updateTable('charges')
      .set({ submit_deadline: instant(atMs) })
      .where('id', '=', uuidOf(id))
      .execute(),
  )

/** The worker's next pass. */
const settle = (afterMs = 1_000) => {
  world.nowMs = now() + afterMs
  return settleCharges(world)
}

const isUnproven = async ({ id }: Charge) =>
  (
    await sql<{ unproven: boolean }>`select is_unproven(merchant_id, id, ruling, rail_txn_id) as unproven
      from charges where id = ${uuidOf(id)}::uuid`.execute(world.db.writer)
  ).rows[0]?.unproven

const rulingsOf = async ({ id }: Charge) =>
  (
    await sql<{ outcome: string; reason: string; operator: string }>`select outcome, reason, operator
      from charge_rulings where charge_id = ${uuidOf(id)}::uuid order by id`.execute(world.db.writer)
  ).rows

test.each([
  [['ch_1', 'succeeded', 'statement'], 'charge is ch_ and 32 hexadecimal digits'],
  [[`ch_${'0'.repeat(32)}`, 'paid', 'statement'], "outcome is 'succeeded' or 'failed'"],
  [[`ch_${'0'.repeat(32)}`, 'succeeded', ' '], 'reason says in 1 to 500 characters how you know'],
  [[`ch_${'0'.repeat(32)}`, 'succeeded', 'statement'], `no charge has the id ch_${'0'.repeat(32)}`],
] as const)('the arguments %j are refused in words', async ([charge, outcome, reason], words) => {
  await expect(resolve(charge, outcome, reason)).rejects.toThrow(words)
})

describe('a charge that its rail no longer answers for', () => {
  test.each(['live', 'unconfirmed', 'submitting'] as const)(
    'and that is %s, is paid by an operator’s word, as by the rail’s',
    async (status) => {
      const { intent, charge } = await save(makeIntent('requires_payment_method'), makeCharge(status))

      const { rows } = await resolve(charge.id)

      // The function itself moves nothing.
      expect(rows).toEqual([
        {
          payment_intent: uuidOf(intent.id),
          rail: charge.rail,
          reference: charge.reference,
          amount: 1000,
          currency: 'XAF',
          status,
          ruling: 'succeeded',
        },
      ])
      expect(await readIntent(world, intent.id)).toEqual(intent)
      expect(await settle()).toEqual({ claimed: 1, moved: 1 })
      expect(await readCharge(world, charge.id)).toMatchObject({ status: 'succeeded', nextQueryAtMs: null })
      expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
      expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
      // The rail is queried once more, because its own answer would prove the ruling.
      expect(world.push.asked).toHaveLength(1)
      expect(await rulingsOf(charge)).toEqual([
        { outcome: 'succeeded', reason: 'statement of 21 November', operator: 'ada' },
      ])
    },
  )

  test('fails by an operator’s word, and is watched for a late success like any other', async () => {
    const { intent, charge } = await save(makeIntent('processing'), makeCharge('live'))

    await resolve(charge.id, 'failed')
    await settle()

    expect(await readCharge(world, charge.id)).toMatchObject({ status: 'failed', railCode: null })
    expect(await readIntent(world, intent.id)).toMatchObject({
      status: 'requires_payment_method',
      lastPaymentError: { code: 'declined', declineCode: null, message: null, rail: charge.rail },
    })
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.payment_failed'])

    world.push.whenAsked = () => paid
    world.nowMs += AFTER_WATCH_MS
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
    expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
  })

  test('is found by its uuid as well, and whether or not the deployment still has its rail', async () => {
    const rail = 'a_rail_of_old' as RailCode
    const { intent, charge } = await save(makeIntent('processing'), makeCharge('live', { rail }))
    await resolve(uuidOf(charge.id))
    // For a minute another worker could know the rail.
    await settle(UNKNOWN_RAIL_WAIT_MS + 1_000)
    expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
  })

  test('and that failed long ago, is still paid', async () => {
    const failed = makeCharge('failed', { nextQueryAtMs: null })
    const { intent, charge } = await save(makeIntent('canceled'), failed)
    await resolve(charge.id)
    await settle()
    expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })

  test('beside another that was paid is a duplicate, an alert and no event', async () => {
    const { intent, charge } = await save(makeIntent('succeeded'), makeCharge('live'))
    await resolve(charge.id)
    await settle()
    expect((await readCharge(world, charge.id))?.status).toBe('duplicate')
    expect(world.alerts.map(({ name }) => name)).toEqual(['charge_duplicate_success'])
    expect(await typesOf(world, intent.id)).toEqual([])
  })

  test('is resolved at the next pass, also when its rail is just being asked', async () => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    await setDue(charge, now())
    world.push.whenAsked = async () => {
      await resolve(charge.id)
      return { kind: 'pending' }
    }
    world.nowMs = now()
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 0 })
    world.nowMs += 3_000
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
  })
})

describe('a ruling is refused', () => {
  const verdictOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => `${sqlState(error)} ${(error as Error).message}`,
    )

  test.each([
    ['succeeded', 'succeeded', '23514 the charge is already succeeded'],
    ['succeeded', 'failed', '23514 the charge is already succeeded'],
    ['duplicate', 'succeeded', '23514 the charge is already duplicate'],
    ['failed', 'failed', '23514 the charge is already failed'],
    ['abandoned', 'failed', '23514 the charge is already abandoned'],
  ] as const)('of a charge that is %s, to be %s', async (status, outcome, verdict) => {
    const { charge } = await save(makeIntent('requires_payment_method'), makeCharge(status))
    expect(await verdictOf(resolve(charge.id, outcome))).toBe(verdict)
    expect(await readCharge(world, charge.id)).toEqual(charge)
    expect(await rulingsOf(charge)).toEqual([])
  })

  test('while the submit is still under way', async () => {
    const { charge } = await save(makeIntent('requires_payment_method'), makeCharge('submitting'))
    await setDeadline(charge, now() + 20_000)
    expect(await verdictOf(resolve(charge.id, 'failed'))).toMatch(
      /^23514 the charge is being submitted until/,
    )
  })

  test('of a charge that does not exist', async () => {
    const { id } = makeCharge('live')
    expect(await verdictOf(resolve(id))).toBe(`P0002 no charge has the id ${id}`)
  })

  test.each([
    ['duplicate', 'a reason'],
    ['failed', ' '],
    ['failed', 'x'.repeat(501)],
  ])('with %s, and %.10s', async (outcome, reason) => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    expect(await verdictOf(resolve(charge.id, outcome, reason))).toMatch(/^23514/)
    expect(await readCharge(world, charge.id)).toEqual(charge)
  })
})

describe('an answer that cannot be judged', () => {
  const oddAnswer = { kind: 'failed' } as QueryOutcome
  async function saveWorn() {
    const saved = await save(makeIntent('processing'), makeCharge('live'))
    await sql`update charge_jobs set failures = 9, due_at = now()`.execute(world.db.writer)
    return saved
  }
  const jobOf = async ({ id }: Charge) =>
    (
      await sql<{ failures: number; rests: boolean; due_at: number }>`
        select failures, rested_at is not null as rests, due_at from charge_jobs
        where charge_id = ${uuidOf(id)}::uuid`.execute(world.db.writer)
    ).rows[0]

  test('for the tenth time lets no charge rest on which an operator has ruled meanwhile', async () => {
    const { charge } = await saveWorn()
    world.push.whenAsked = async () => {
      await resolve(charge.id)
      return oddAnswer
    }
    expect(await settle()).toEqual({ claimed: 1, moved: 0 })
    expect(await jobOf(charge)).toMatchObject({ failures: 1, rests: false, due_at: world.nowMs + 2_000 })
    expect(world.alerts).toEqual([])

    world.push.whenAsked = () => unavailable
    expect(await settle(10_000)).toEqual({ claimed: 1, moved: 1 })
    expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
  })

  test('is followed by one more query soon, if a callback has come meanwhile', async () => {
    const { charge } = await saveWorn()
    await sql`update charge_jobs set failures = 3`.execute(world.db.writer)
    world.push.whenAsked = async () => {
      await pullForward(
        world.db.writer,
        charge.rail,
        { by: 'reference', value: charge.reference },
        world.nowMs,
      )
      return oddAnswer
    }
    await settle()
    expect(await jobOf(charge)).toMatchObject({ failures: 4, due_at: world.nowMs + 2_000 })
    world.push.whenAsked = () => oddAnswer
    await settle(10_000)
    expect(await jobOf(charge)).toMatchObject({ failures: 5, due_at: world.nowMs + 80_000 })
  })
})

describe('what a ruling of succeeded rests on', () => {
  const prove = (charge: string, statement: string | null, outcome = 'succeeded') =>
    sql`select ops_resolve_charge(${charge}, ${outcome}, 'A test.', 'ada', ${statement})`.execute(
      world.db.writer,
    )

  test('is the rail’s own word, where it has one by then', async () => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.push.whenAsked = () => paid
    await resolve(charge.id)
    expect(await isUnproven(charge)).toBe(true)
    await settle()
    expect(await readCharge(world, charge.id)).toMatchObject({
      status: 'succeeded',
      railTxnId: paid.railTxnId,
    })
    expect(await isUnproven(charge)).toBe(false)
  })

  test.each([
    ['is unknown there', { kind: 'not_found' }],
    [
      'failed',
      { kind: 'failed', decline: { code: 'declined', actor: 'rail', railCode: null, railMessage: null } },
    ],
    ['paid another amount', { ...paid, amountMinor: 999 }],
    ['paid, in another currency', { ...paid, currency: 'EUR' }],
  ] as const)('is the ruling alone where the rail says that it %s', async (_, said) => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.push.whenAsked = () => said
    await resolve(charge.id)
    await settle()
    expect(await readCharge(world, charge.id)).toMatchObject({ status: 'succeeded', railTxnId: null })
    expect(await isUnproven(charge)).toBe(true)
  })

  test('is a statement’s reference, with the ruling or after it; that moves nothing', async () => {
    const first = await save(makeIntent('processing'), makeCharge('live'))
    await prove(first.charge.id, 'MP250702.1410.C51350')
    await settle()
    expect(await isUnproven(first.charge)).toBe(false)

    const later = await save(makeIntent('processing'), makeCharge('live'))
    await resolve(later.charge.id)
    await settle()
    const settled = await readCharge(world, later.charge.id)
    await expect(prove(later.charge.id, null)).rejects.toMatchObject({ code: '23514' })
    await prove(later.charge.id, '17677469451')
    expect(await isUnproven(later.charge)).toBe(false)
    expect(await readCharge(world, later.charge.id)).toEqual(settled)
  })

  test('adds nothing to a charge that its rail has settled, and goes with no other outcome', async () => {
    const { charge } = await save(makeIntent('requires_payment_method'), makeCharge('succeeded'))
    expect(await isUnproven(charge)).toBe(false)
    await expect(prove(charge.id, '17677469451')).rejects.toMatchObject({ code: '23514' })
    const live = await save(makeIntent('processing'), makeCharge('live'))
    await expect(prove(live.charge.id, '17677469451', 'failed')).rejects.toMatchObject({ code: '23514' })
    await expect(prove(live.charge.id, 'Awa, 670000001')).rejects.toMatchObject({ code: '23514' })
  })
})

describe('a transaction of a rail', () => {
  const prove = (charge: string, statement: string) =>
    sql`select ops_resolve_charge(${charge}, 'succeeded', 'A test.', 'ada', ${statement})`.execute(
      world.db.writer,
    )
  const withdraw = (charge: string) =>
    sql<{
      statement: string
    }>`select statement from ops_withdraw_statement(${charge}, 'It paid another.', 'ada')`.execute(
      world.db.writer,
    )
  const live = () => save(makeIntent('processing'), makeCharge('live'))
  const provedBy = (transaction: string, { id }: Charge) => ({
    code: '23514',
    message: `the transaction ${transaction} proves the charge ${id}`,
  })

  test('proves one charge only, whatever the merchant and the state of the other charge', async () => {
    const [first, second] = [await live(), await live()]
    await prove(first.charge.id, 'T-1')
    await expect(prove(second.charge.id, 'T-1')).rejects.toMatchObject(provedBy('T-1', first.charge))
    await settle()
    await expect(prove(second.charge.id, 'T-1')).rejects.toMatchObject(provedBy('T-1', first.charge))
    expect(await rulingsOf(second.charge)).toEqual([])
    expect((await readIntent(world, second.intent.id))?.status).toBe('processing')
    await prove(second.charge.id, 'T-2')
    await settle()
    expect((await readIntent(world, second.intent.id))?.status).toBe('succeeded')
  })

  test('that its rail reported for a charge proves no other', async () => {
    const reported = await save(
      makeIntent('requires_payment_method'),
      makeCharge('succeeded', { railTxnId: 'T-3', nextQueryAtMs: null }),
    )
    const { charge } = await live()
    await expect(prove(charge.id, 'T-3')).rejects.toMatchObject(provedBy('T-3', reported.charge))
  })

  test.each([
    ['2b1e8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b', '2B1E8A52-7F5E-4A0E-9A52-3C1D2E4F5A6B'],
    ['MP250702.1410.C51352', 'mp250702.1410.c51352'],
    ['aB-9', 'Ab-9'],
  ])('that proves a charge as %s proves no other as %s', async (spelling, other) => {
    const [first, second] = [await live(), await live()]
    await prove(first.charge.id, spelling)
    await expect(prove(second.charge.id, other)).rejects.toMatchObject(provedBy(other, first.charge))
    await prove(first.charge.id, other)
    const copy = sql`
      update charges set ruling = 'succeeded', statement = ${spelling} where id = ${uuidOf(second.charge.id)}::uuid`
    await expect(copy.execute(world.owner.writer)).rejects.toMatchObject({
      code: '23505',
      constraint: 'charges_statement_any_case',
    })
  })

  test.each([
    ['0b1e8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b', '0B1E8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b'],
    ['MP250702.1410.C51351', 'mp250702.1410.c51351'],
    ['aB-10', 'Ab-10'],
  ])('that its rail reported as %s proves no other charge as %s', async (railTxnId, other) => {
    const reported = await save(
      makeIntent('requires_payment_method'),
      makeCharge('succeeded', { railTxnId, nextQueryAtMs: null }),
    )
    const { charge } = await live()
    await expect(prove(charge.id, other)).rejects.toMatchObject(provedBy(other, reported.charge))
  })

  test('of another rail is another one, even if it is named the same', async () => {
    await prove((await live()).charge.id, 'T-4')
    const { charge } = await save(makeIntent('processing'), makeCharge('live', { rail: world.redirect.code }))
    await prove(charge.id, 'T-4')
    expect(await isUnproven(charge)).toBe(false)
  })

  test('that two operators give at once proves one charge', async () => {
    const [first, second] = [await live(), await live()]
    const both = await Promise.allSettled([prove(first.charge.id, 'T-5'), prove(second.charge.id, 'T-5')])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test.each([
    ['T-11', 'T-11'],
    ['3b1e8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b', '3B1E8A52-7F5E-4A0E-9A52-3C1D2E4F5A6B'],
  ])(
    '%s, given for a charge, proves it no more once the rail reports %s for another',
    async (given, railTxnId) => {
      const [first, second] = [await live(), await live()]
      await prove(first.charge.id, given)
      await settle()
      expect(await isUnproven(first.charge)).toBe(false)
      world.push.whenAsked = () => ({ ...paid, railTxnId })
      await setDue(second.charge, now())
      await settle(5_000)
      expect(await readCharge(world, second.charge.id)).toMatchObject({ status: 'succeeded', railTxnId })
      expect([await isUnproven(first.charge), await isUnproven(second.charge)]).toEqual([true, false])
      expect((await readIntent(world, first.intent.id))?.status).toBe('succeeded')

      await prove(first.charge.id, `${given}-1`)
      expect(await isUnproven(first.charge)).toBe(false)
    },
  )

  test('that the rail reports for another charge after a ruling is told to a person, once', async () => {
    const [first, second] = [await live(), await live()]
    await prove(first.charge.id, 'T-12')
    await settle()
    await alertOfLostProofs(world)
    world.alerts.length = 0
    world.push.whenAsked = () => ({ ...paid, railTxnId: 't-12' })
    await setDue(second.charge, now())
    await settle(5_000)
    expect(await alertOfLostProofs(world)).toEqual({ alerted: 1, full: false })
    const facts = { charge: first.charge.id, rail: first.charge.rail, other_charge: second.charge.id }
    expect(world.alerts).toEqual([{ name: 'charge_proof_lost', facts }])
    expect(await alertOfLostProofs(world)).toEqual({ alerted: 0, full: false })
    await recordRaised(world)
    const items =
      await sql`select alert, facts, status from attention_items where object = ${first.charge.id}`.execute(
        world.db.writer,
      )
    expect(items.rows).toEqual([{ alert: 'charge_proof_lost', facts, status: 'open' }])
    expect(await alertOfLostProofs(world)).toEqual({ alerted: 0, full: false })
  })

  test('is corrected by another one, or withdrawn; the charge that it paid can have it then', async () => {
    const [first, second, third] = [await live(), await live(), await live()]
    await prove(first.charge.id, 'T-6')
    await settle()
    const settled = await readCharge(world, first.charge.id)
    await prove(first.charge.id, 'T-7')
    await prove(second.charge.id, 'T-6')

    expect((await withdraw(first.charge.id)).rows).toEqual([{ statement: 'T-7' }])
    expect(await isUnproven(first.charge)).toBe(true)
    await prove(third.charge.id, 'T-7')
    await expect(withdraw(first.charge.id)).rejects.toMatchObject({
      code: '23514',
      message: 'no statement proves the charge',
    })
    expect(await readCharge(world, first.charge.id)).toEqual(settled)
    expect((await rulingsOf(first.charge)).map(({ reason }) => reason)).toEqual([
      'A test.',
      'A test.',
      'It paid another.',
    ])
  })

  test('stays the evidence through a second ruling without one, and goes with a ruling of failed', async () => {
    const { charge } = await live()
    await prove(charge.id, 'T-8')
    await resolve(charge.id)
    expect(await isUnproven(charge)).toBe(false)
    await resolve(charge.id, 'failed')
    await prove((await live()).charge.id, 'T-8')
  })
})

test('a ruling is not lost to a change that was planned without it', async () => {
  const { intent, charge } = await save(makeIntent('requires_payment_method'), makeCharge('submitting'))
  const planned = {
    intent,
    change: null,
    charge: moveCharge(charge, 'abandon', { watched: false }, now()),
    key: null,
  }
  await resolve(charge.id)
  expect(await writeTransitions(world.db.writer, [planned], now())).toEqual([false])
  await settle()
  expect((await readCharge(world, charge.id))?.status).toBe('succeeded')
  expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
})

test.each([
  ['update charge_rulings set operator = null'],
  ['delete from charge_rulings'],
  ['truncate charge_rulings'],
])('who ruled what is kept: %s', async (statement) => {
  const { charge } = await save(makeIntent('processing'), makeCharge('live'))
  await resolve(charge.id)
  await expect(sql.raw(statement).execute(world.db.writer)).rejects.toMatchObject({ code: '42501' })
  await expect(sql.raw(statement).execute(world.owner.writer)).rejects.toMatchObject({
    code: '23001',
    message: 'charge_rulings is append-only',
  })
  expect(await rulingsOf(charge)).toHaveLength(1)
})
