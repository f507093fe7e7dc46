import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { idOf } from '../src/base/ids.ts'
import { compareStatement } from '../src/statements/compare.ts'
import { ACME, PUSH } from './make.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const DAY_MS = 24 * 3_600_000
const FIRST_MS = Date.parse('2026-03-05T00:00:00Z')
const by = { staff: { subject: 's', name: 'n', role: 'operator' }, requestId: 'r' } as const

const dayOf = (offset: number) => new Date(FIRST_MS + offset * DAY_MS).toISOString().slice(0, 10)

/** A charge that was opened a minute before midnight of the first day, and paid five seconds after it. */
const payAfterMidnight = () =>
  world.owner.transact(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    const openedMs = FIRST_MS + DAY_MS - 60_000
    const id = `${openedMs.toString(16).padStart(12, '0')}70008${'1'.padStart(15, '0')}`
    await sql`
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, settled_at)
      select ${ACME}, ${id}::uuid, ${id}::uuid, ${PUSH}, 'succeeded', 100, 'XAF', 'r1', o.at, o.at, o.at + interval '65 s'
      from (select to_timestamp(${openedMs}::bigint / 1000.0) as at) o`.execute(tx)
  })

let statements = 0

/** Replaces the day's statement by one with or without the charge's line, and compares it. */
async function compareDay(offset: number, isListed: boolean): Promise<void> {
  const uuid = `00000000-0000-7000-8000-${String((statements += 1)).padStart(12, '0')}`
  const day = dayOf(offset)
  const { writer } = world.owner
  await sql`update statements set status = 'replaced' where day = ${day}::date`.execute(writer)
  await sql`
    insert into statements (id, rail, day, from_at, until_at, status, heads, lines, created_by, created_name, created_at)
    values (${uuid}, ${PUSH}, ${day}, ${day}::date::timestamp at time zone 'UTC',
      (${day}::date + 1)::timestamp at time zone 'UTC', 'matching', '[]', ${isListed ? 1 : 0}, 's', 'n', now())`.execute(
    writer,
  )
  if (isListed) {
    await sql`
      insert into statement_rows (statement_id, n, rail, kind, reference, transaction_id, amount, currency)
      values (${uuid}, 1, ${PUSH}, 'charge', 'r1', 'T1', 100, 'XAF')`.execute(writer)
  }
  const st = idOf('st', uuid.replaceAll('-', ''))
  while ((await compareStatement(world, by, st, null)).answer.status === 'matching');
}

test('a charge that was paid after midnight is missing once the statement of the day before lists it no more', async () => {
  await payAfterMidnight()
  await compareDay(0, true)
  for (const offset of [1, 2, 3, 4]) await compareDay(offset, false)
  await compareDay(0, false)
  const missing = async () =>
    (
      await sql<{ day: string }>`
        select s.day::text from statement_rows r join statements s on s.id = r.statement_id
        where s.status <> 'replaced' and r.verdict = 'ours_only'`.execute(world.owner.writer)
    ).rows
  expect(await missing()).toEqual([{ day: dayOf(0) }])
  await compareDay(1, false)
  await compareDay(2, false)
  expect(await missing()).toEqual([{ day: dayOf(0) }])
  await compareDay(1, true)
  expect(await missing()).toEqual([])
})
