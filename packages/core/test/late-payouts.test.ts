import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { idOf } from '../src/base/ids.ts'
import { compareStatement } from '../src/statements/compare.ts'
import { compareObjects } from '../src/statements/comparison-store.ts'
import { lockStatement } from '../src/statements/store.ts'
import { costsOf } from './explain.ts'
import { ACME, PUSH } from './make.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const DAY_MS = Date.parse('2026-03-05T00:00:00Z')
const HOUR_MS = 3_600_000
const ST = idOf('st', '00000000000070008000000000000001')

/** Accepted refunds of the merchant, each made and sent a millisecond after the one before. */
const payOut = (madeMs: number, sentMs: number, count: number) =>
  world.owner.transact(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at, rail,
        reference, instruction, submit_deadline)
      select ${ACME}, i.id, i.id, 'pending', 100, 'XAF', '{}', false, to_timestamp((${madeMs}::bigint + n) / 1000.0),
        ${PUSH}, i.id::text, 'accepted', to_timestamp((${sentMs}::bigint + n) / 1000.0)
      from generate_series(1, ${count}::integer) n
      cross join lateral (
        select (lpad(to_hex(${madeMs}::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as id) i`.execute(
      tx,
    )
  })

test('payouts that were sent long after they were made are all compared, however many, in pages', async () => {
  await payOut(DAY_MS - 95 * 24 * HOUR_MS, DAY_MS - 300 * HOUR_MS, 1_100)
  await payOut(DAY_MS - 94 * 24 * HOUR_MS, DAY_MS + HOUR_MS, 1_100)
  await payOut(DAY_MS - 93 * 24 * HOUR_MS, DAY_MS - 93 * 24 * HOUR_MS, 40_000)
  await payOut(DAY_MS + HOUR_MS, DAY_MS + HOUR_MS, 5)
  await sql`analyze refunds`.execute(world.owner.writer)
  await sql`
    insert into statements (id, rail, day, from_at, until_at, status, heads, created_by, created_name, created_at)
    values ('00000000-0000-7000-8000-000000000001', ${PUSH}, '2026-03-05', to_timestamp(${DAY_MS / 1_000}),
      to_timestamp(${DAY_MS / 1_000}) + interval '1 day', 'matching', '[]', 's', 'n', now())`.execute(
    world.owner.writer,
  )

  const statement = await world.db.transact((tx) => lockStatement(tx, ST))
  if (statement === undefined) throw new Error('it was inserted')
  // Each step of the plan passes the late ones on. None reads those that were sent in time.
  const costs = await costsOf(world, ({ writer }) =>
    compareObjects(writer as never, statement, 'refunds', ACME, null),
  )
  expect(costs.flatMap(({ scanned }) => scanned)).not.toContain('refunds')
  expect(costs.map(({ rows }) => rows).filter((rows) => rows > 20_000)).toEqual([])
  await sql`delete from statement_rows`.execute(world.owner.writer)
  await sql`update statements set ours_only = 0`.execute(world.owner.writer)

  const by = { staff: { subject: 's', name: 'n', role: 'operator' }, requestId: 'r' } as const
  const compare = async () => (await compareStatement(world, by, ST, null)).answer
  while ((await compare()).status === 'matching');
  expect(await compare()).toMatchObject({ status: 'matched', ours_only: 1_105 })
})
