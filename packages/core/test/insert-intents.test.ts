import { sql } from 'kysely'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { batchWrites } from '../src/commit/writes.ts'
import { type MerchantId, mintId, uuidOf } from '../src/base/ids.ts'
import { CREATIONS_MAX } from '../src/commit/creates.ts'
import { type NewIntent, newIntents } from '../src/payment-intents/insertions.ts'
import { ACME, makeIntent, T0 } from './make.ts'
import { claimOf, openWorld, readIntent, readKey } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

function insertion({ amountMinor = 1000, merchantId = ACME, claim = claimOf(), nowMs = T0 } = {}) {
  const intent = makeIntent('requires_payment_method', {
    id: mintId('pi', nowMs),
    merchantId,
    amountMinor,
    revision: 0,
    description: 'Café « n° 7 » \\ "8" \u2028',
    metadata: { order: '{"a":1}', empty: '' },
  })
  const answer = { status: 201, body: `{"id":"${intent.id}"}`, shouldRetry: null }
  return { claim: { ...claim, merchantId }, intent, answer, nowMs } satisfies NewIntent
}

const insertIntents = (insertions: NewIntent[]) => newIntents.write(world.db.writer, insertions, 'wait')

describe('the intents of several requests', () => {
  test('are written with their answers, each whole', async () => {
    const insertions = Array.from({ length: CREATIONS_MAX }, (_, n) => insertion({ amountMinor: n + 1 }))
    expect(new Set(await insertIntents(insertions))).toEqual(new Set(['inserted']))
    for (const { claim, intent, answer } of insertions) {
      expect(await readIntent(world, intent.id)).toEqual(intent)
      expect(await readKey(world, claim)).toMatchObject({
        status: 201,
        body: answer.body,
        should_retry: null,
      })
    }
    await expect(insertIntents([...insertions, insertion()])).rejects.toThrow(RangeError)
  })

  test('are decided separately: a taken key, an expired key, a disabled client', async () => {
    const [taken, old] = [insertion(), insertion({ nowMs: T0 - 86_400_000 })]
    await insertIntents([taken, old])
    await sql`insert into disabled_clients (client_id, reason) values ('shut', 'test')`.execute(
      world.db.writer,
    )

    const shut = insertion({ merchantId: 'shut' as MerchantId })
    const again = insertion({ claim: old.claim })
    const fresh = insertion()
    const late = insertion({ claim: taken.claim })
    expect(await insertIntents([shut, late, again, fresh])).toEqual([
      'client_disabled',
      { ...taken.answer, replayed: true },
      'inserted',
      'inserted',
    ])
    expect(await readIntent(world, late.intent.id)).toBeUndefined()
    expect(await readKey(world, taken.claim)).toMatchObject({ body: taken.answer.body })
    expect(await readKey(world, old.claim)).toMatchObject({ body: again.answer.body, fence: 2 })
    const { rows } = await sql`select 1 from idempotency_keys where merchant_id = 'shut'`.execute(
      world.db.writer,
    )
    expect(rows).toEqual([])
  })

  test('do not deadlock with other statements that share their keys', async () => {
    for (let round = 0; round < 12; round += 1) {
      const claims = Array.from({ length: CREATIONS_MAX }, () => claimOf())
      const orders = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? claims : claims.toReversed()))
      const results = await Promise.all(
        orders.map((order) => insertIntents(order.map((claim) => insertion({ claim })))),
      )
      const inserted = results.flat().filter((end) => end === 'inserted')
      expect(inserted).toHaveLength(claims.length)
    }
  })
})

test('an intent that the database refuses fails alone', async () => {
  const { together } = batchWrites(world.db.writer)
  const bad = insertion({ amountMinor: 0 })
  const good = [insertion(), insertion()]
  const results = await Promise.allSettled(
    [good[0], bad, good[1]].map((one) => together(newIntents, one ?? bad)),
  )
  expect(results).toMatchObject([
    { value: 'inserted' },
    { reason: { constraint: 'payment_intents_amount_check' } },
    { value: 'inserted' },
  ])
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from payment_intents
    where id = any (${good.map(({ intent }) => uuidOf(intent.id))}::uuid[])`.execute(world.db.writer)
  expect(rows).toEqual([{ n: 2 }])
  expect(await readIntent(world, bad.intent.id)).toBeUndefined()
})

test.each(['XX001', '58030', 'P0001'])(
  'an intent whose row PostgreSQL cannot write, with %s, fails alone',
  async (code) => {
    const { together } = batchWrites(world.db.writer)
    const [good, bad, other] = [insertion(), insertion(), insertion({ merchantId: 'globex' as MerchantId })]
    const run = (text: string) => sql.raw(text).execute(world.owner.writer)
    await run(`create function damaged() returns trigger language plpgsql as $$
    begin raise exception 'a damaged page' using errcode = '${code}'; end $$`)
    await run(`create trigger damaged before insert on payment_intents for each row
    when (new.id = '${uuidOf(bad.intent.id)}') execute function damaged()`)
    onTestFinished(async () => void (await run('drop function damaged cascade')))
    const results = await Promise.allSettled([good, bad, other].map((one) => together(newIntents, one)))
    expect(results).toMatchObject([{ value: 'inserted' }, { reason: { code } }, { value: 'inserted' }])
  },
)
