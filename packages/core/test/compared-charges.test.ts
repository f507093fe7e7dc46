import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { idOf } from '../src/base/ids.ts'
import { compareObjects } from '../src/statements/comparison-store.ts'
import { lockStatement } from '../src/statements/store.ts'
import { costsOf } from './explain.ts'
import { ACME, PUSH } from './make.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const DAY_MS = Date.parse('2026-03-05T00:00:00Z')
const ST = idOf('st', '00000000000070008000000000000001')

/** Charges that were paid on the day: their rail named the transaction of some, and a ruling that of the others. */
const payIn = (count: number) =>
  world.owner.transact(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, settled_at, rail_txn_id, ruling, statement)
      select ${ACME}, i.id, i.id, ${PUSH}, 'succeeded', 100, 'XAF', i.id::text, a.at, a.at, a.at,
        case when n % 2 = 0 then 'T' || n end, case when n % 2 = 1 then 'succeeded' end, case when n % 2 = 1 then 'S-' || n end
      from generate_series(1, ${count}::integer) n
      cross join lateral (select to_timestamp((${DAY_MS}::bigint + n) / 1000.0) as at) a
      cross join lateral (
        select (lpad(to_hex(${DAY_MS}::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as id) i`.execute(
      tx,
    )
  })

test('charges are compared with lines that have a transaction and a text of the payer, each found by its key', async () => {
  await payIn(20_000)
  await sql`
    insert into statements (id, rail, day, from_at, until_at, status, heads, lines, created_by, created_name, created_at)
    values ('00000000-0000-7000-8000-000000000001', ${PUSH}, '2026-03-05', to_timestamp(${DAY_MS / 1_000}),
      to_timestamp(${DAY_MS / 1_000}) + interval '1 day', 'matching', '[]', 20000, 's', 'n', now())`.execute(
    world.owner.writer,
  )
  await sql`
    insert into statement_rows (statement_id, n, rail, kind, reference, transaction_id, amount, currency)
    select '00000000-0000-7000-8000-000000000001', n, ${PUSH}, 'charge', 'a text',
      case when n % 2 = 0 then 't' || n else 's-' || n end, 100, 'XAF'
    from generate_series(1, 20000) n`.execute(world.owner.writer)
  await sql`analyze charges, statement_rows, statements`.execute(world.owner.writer)

  const statement = await world.db.transact((tx) => lockStatement(tx, ST))
  if (statement === undefined) throw new Error('it was inserted')
  const costs = await costsOf(world, ({ writer }) =>
    compareObjects(writer as never, statement, 'charges', ACME, null),
  )
  const scanned = costs.flatMap((cost) => cost.scanned)
  expect(scanned.filter((table) => table === 'charges' || table === 'statement_rows')).toEqual([])
  // A page of a thousand, which several steps of the plan pass on.
  expect(costs.map(({ rows }) => rows).filter((rows) => rows > 30_000)).toEqual([])
  // Among them are the pages in which the database looks for another charge of each transaction.
  expect(costs.map(({ buffers }) => buffers).filter((pages) => pages > 50_000)).toEqual([])
  const { rows } = await sql`
    select verdict, count(*)::integer as count from statement_rows group by verdict order by verdict`.execute(
    world.owner.writer,
  )
  expect(rows).toEqual([
    { verdict: 'matched', count: 1_000 },
    { verdict: null, count: 19_000 },
  ])
})
