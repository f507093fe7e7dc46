import type { Tx } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idOf } from '../src/base/ids.ts'
import { compareLines, compareObjects, removeReplaced } from '../src/statements/comparison-store.ts'
import { findLater, listDifferences, lockStatement } from '../src/statements/store.ts'
import { stopAutovacuum } from './big-tables.ts'
import { type Cost, costsOf } from './explain.ts'
import { ACME, PUSH } from './make.ts'
import { openWorld, type World } from './world.ts'

const DAY_MS = Date.parse('2026-03-05T00:00:00Z')
const ROWS = 20_000
const MISSING = 2_000
/** A page of a thousand, which several steps of the plan pass on. */
const PAGE_READS_MAX = 60_000
/** A thousand rows and their lines of another day, which many steps of the plan pass on. */
const LINES_READS_MAX = 100_000
/** Ten thousand rows of a day, which several steps of the plan pass on. */
const REOPENING_READS_MAX = 300_000

const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const stOf = (n: number) => idOf('st', uuid(n).replaceAll('-', ''))
const ST = stOf(1)

/** Charges that were paid on the day: their rail named the transaction of some, and a ruling that of the others. */
const payIn = ({ owner }: World) =>
  owner.transact(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, settled_at, rail_txn_id, ruling, statement)
      select ${ACME}, i.id, i.id, ${PUSH}, 'succeeded', 100, 'XAF', i.id::text, a.at, a.at, a.at,
        case when n % 2 = 0 then 'T' || n end, case when n % 2 = 1 then 'succeeded' end, case when n % 2 = 1 then 'S-' || n end
      from generate_series(1, ${ROWS}::integer) n
      cross join lateral (select to_timestamp((${DAY_MS}::bigint + n) / 1000.0) as at) a
      cross join lateral (
        select (lpad(to_hex(${DAY_MS}::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as id) i`.execute(
      tx,
    )
  })

/** Lines with a text of the payer, and their own transactions. */
async function insertStatement({ owner }: World, n: number, day: string, status: string): Promise<void> {
  await sql`
    insert into statements (id, rail, day, from_at, until_at, status, heads, lines, created_by, created_name, created_at)
    values (${uuid(n)}, ${PUSH}, ${day}, ${day}::date::timestamp at time zone 'UTC',
      (${day}::date + 1)::timestamp at time zone 'UTC', ${status}, '[]', ${ROWS}, 's', 'n', now())`.execute(
    owner.writer,
  )
  await sql`
    insert into statement_rows (statement_id, n, rail, kind, reference, transaction_id, amount, currency)
    select ${uuid(n)}, n, ${PUSH}, 'charge', case when n % 100 = 0 then 'unknown-' || n else 'a text' end,
      ${n === 1 ? '' : `day-${n}-`} || case when n % 2 = 0 then 't' || n else 's-' || n end, 100, 'XAF'
    from generate_series(1, ${ROWS}::integer) n`.execute(owner.writer)
}

/** Charges that no line lists. */
const insertMissing = async ({ owner }: World, n: number): Promise<void> => {
  await sql`
    insert into statement_rows (statement_id, n, rail, kind, reference, transaction_id, verdict, merchant_id, object_kind, object)
    select ${uuid(n)}, ${ROWS} + n, ${PUSH}, 'charge', 'missing-' || n, 'missing-' || n, 'ours_only', ${ACME}, 'ch', uuidv7()
    from generate_series(1, ${MISSING}::integer) n`.execute(owner.writer)
}

// A day's lines are compared right after their upload. PostgreSQL collects statistics in between, or does not.
describe.each([
  ['know the day', true],
  ['know earlier days alone', false],
])('if the statistics %s', (_, isKnown) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    const { writer } = world.owner
    await stopAutovacuum(writer)
    await payIn(world)
    await insertStatement(world, 2, '2026-03-03', 'matched')
    await insertStatement(world, 3, '2026-03-05', 'replaced')
    if (!isKnown) await sql`analyze charges, statement_rows, statements`.execute(writer)
    await insertStatement(world, 1, '2026-03-05', 'matching')
    if (isKnown) await sql`analyze charges, statement_rows, statements`.execute(writer)
    await insertMissing(world, 2)
  })
  afterAll(() => world.stop())

  /** Leaves no line compared. */
  const forget = async () => {
    await sql`
      update statement_rows set verdict = null, merchant_id = null, object_kind = null, object = null
      where statement_id = ${uuid(1)} and verdict is not null`.execute(world.owner.writer)
  }
  const costsOfStep = async (
    step: (tx: Tx) => Promise<unknown>,
    undo: () => Promise<unknown> = forget,
  ): Promise<Cost[]> => {
    const costs = await costsOf(
      world,
      ({ writer }) => step(writer as never),
      async () => void (await undo()),
    )
    const scanned = costs.flatMap((cost) => cost.scanned)
    expect(scanned.filter((table) => table === 'charges' || table === 'statement_rows')).toEqual([])
    return costs
  }
  const statementOf = async (id = ST) => {
    const statement = await world.db.transact((tx) => lockStatement(tx, id))
    if (statement === undefined) throw new Error('it was inserted')
    return statement
  }

  test('charges are compared with lines that have a transaction and a text of the payer, each found by its key', async () => {
    const statement = await statementOf()
    const costs = await costsOfStep((tx) => compareObjects(tx, statement, 'charges', ACME, null))
    expect(costs.map(({ rows }) => rows).filter((rows) => rows > PAGE_READS_MAX)).toEqual([])
    // Among them are the pages in which the database looks for another charge of each transaction.
    expect(costs.map(({ buffers }) => buffers).filter((pages) => pages > 50_000)).toEqual([])
    await world.db.transact((tx) => compareObjects(tx, statement, 'charges', ACME, null))
    const { rows } = await sql`
      select verdict, count(*)::integer as count from statement_rows
      where statement_id = ${uuid(1)} group by verdict order by verdict`.execute(world.owner.writer)
    expect(rows).toEqual([
      { verdict: 'matched', count: 1_000 },
      { verdict: null, count: 19_000 },
    ])
  })

  test.each([
    ['the lines that no charge has', async (tx: Tx) => compareLines(tx, await statementOf(), 0)],
    ['a reopening', async (tx: Tx) => findLater(tx, await statementOf(stOf(2)))],
    [
      'a page of differences',
      (tx: Tx) => listDifferences(tx as never, { id: stOf(2), verdict: null, after: 0, limit: 100 }),
    ],
  ])('%s: each row is found by its key', async (__, step) => {
    const costs = await costsOfStep(step)
    expect(costs.map(({ rows }) => rows).filter((rows) => rows > PAGE_READS_MAX)).toEqual([])
  })

  test.each(['matched', 'duplicate', 'theirs_only'])(
    'lines of charges that an earlier day lists as %s under other transactions: each row is found by its key',
    async (verdict) => {
      const { writer } = world.owner
      await sql`
        update statement_rows set verdict = ${verdict}, merchant_id = ${ACME}, object_kind = 'ch',
          object = (lpad(to_hex(${DAY_MS}::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid
        where statement_id = ${uuid(2)} and n <= ${ROWS}`.execute(writer)
      const statement = await statementOf()
      const costs = await costsOfStep((tx) => compareObjects(tx, statement, 'charges', ACME, null))
      expect(costs.map(({ rows }) => rows).filter((rows) => rows > PAGE_READS_MAX)).toEqual([])
      expect(costs.map(({ buffers }) => buffers).filter((pages) => pages > 60_000)).toEqual([])
      await forget()
      await world.db.transact((tx) => compareObjects(tx, statement, 'charges', ACME, null))
      const { rows } = await sql`
        select verdict, count(*)::integer as count from statement_rows
        where statement_id = ${uuid(1)} and verdict is not null group by verdict`.execute(writer)
      expect(rows).toEqual([{ verdict: verdict === 'duplicate' ? 'matched' : 'duplicate', count: 1_000 }])
      const reopened = await statementOf(stOf(2))
      const costsOfReopening = await costsOfStep((tx) => findLater(tx, reopened))
      expect(costsOfReopening.map((cost) => cost.rows).filter((read) => read > REOPENING_READS_MAX)).toEqual(
        [],
      )
      await forget()
      await sql`
        update statement_rows set verdict = null, merchant_id = null, object_kind = null, object = null
        where statement_id = ${uuid(2)} and n <= ${ROWS}`.execute(writer)
    },
  )

  test('the rows of a replaced statement are removed a thousand at a time', async () => {
    const costs = await costsOfStep(async (tx) => removeReplaced(tx, await statementOf()))
    expect(costs.map(({ rows }) => rows).filter((rows) => rows > PAGE_READS_MAX)).toEqual([])
  })

  /** The lines of a statement name our references, and maybe their charges. */
  const nameCharges = async (n: number, verdict: string | null) => {
    await sql`
      update statement_rows r set reference = i.id::text, verdict = ${verdict}, merchant_id = ${verdict && ACME},
        object_kind = ${verdict && 'ch'}, object = case when ${verdict !== null} then i.id end
      from generate_series(1, ${ROWS}::integer) m
      cross join lateral (
        select (lpad(to_hex(${DAY_MS}::bigint + m), 12, '0') || '70008' || lpad(to_hex(m), 15, '0'))::uuid as id) i
      where r.statement_id = ${uuid(n)} and r.n = m`.execute(world.owner.writer)
  }

  test.each(['matched', 'duplicate', 'ours_only', 'theirs_only'])(
    'lines of charges by our reference alone, which another day has as %s: each row is found by its key',
    async (verdict) => {
      await nameCharges(1, null)
      await nameCharges(2, verdict)
      const statement = await statementOf()
      const costs = await costsOfStep((tx) => compareLines(tx, statement, 0))
      expect(costs.map(({ rows }) => rows).filter((rows) => rows > LINES_READS_MAX)).toEqual([])
    },
  )

  test.each(['matched', 'duplicate', 'theirs_only'])(
    'rows of a replaced statement whose charges another day has as %s: each row is found by its key',
    async (verdict) => {
      await nameCharges(1, null)
      await nameCharges(2, verdict)
      await nameCharges(3, 'matched')
      const statement = await statementOf()
      const costs = await costsOfStep((tx) => removeReplaced(tx, statement))
      expect(costs.map(({ rows }) => rows).filter((rows) => rows > LINES_READS_MAX)).toEqual([])
    },
  )

  /** They were compared while their merchant lived in another cell. */
  const leaveUnnamed = async (n: number) => {
    await sql`
      update statement_rows set verdict = 'theirs_only', merchant_id = null, object_kind = null, object = null
      where statement_id = ${uuid(n)} and n <= ${ROWS} and object is not null`.execute(world.owner.writer)
  }

  test('lines of another day that named no charge: each row is found by its key', async () => {
    await nameCharges(1, null)
    await nameCharges(2, 'theirs_only')
    const forgetAll = () => Promise.all([forget(), leaveUnnamed(2)])
    await forgetAll()
    const statement = await statementOf()
    for (const step of [
      (tx: Tx) => compareObjects(tx, statement, 'charges', ACME, null),
      (tx: Tx) => compareLines(tx, statement, 0),
    ]) {
      const costs = await costsOfStep(step, forgetAll)
      expect(costs.map(({ rows }) => rows).filter((rows) => rows > LINES_READS_MAX)).toEqual([])
    }
  })

  test('rows of a replaced statement that named no charge: each row is found by its key', async () => {
    await nameCharges(1, null)
    for (const n of [2, 3]) {
      await nameCharges(n, 'theirs_only')
      await leaveUnnamed(n)
    }
    const statement = await statementOf()
    const costs = await costsOfStep((tx) => removeReplaced(tx, statement))
    expect(costs.map(({ rows }) => rows).filter((rows) => rows > LINES_READS_MAX)).toEqual([])
  })

  test('rows of a replaced statement whose charges no statement lists: each row is found by its key', async () => {
    const { writer } = world.owner
    for (const n of [1, 2]) {
      await sql`
        update statement_rows set reference = null, transaction_id = null, verdict = null, merchant_id = null,
          object_kind = null, object = null
        where statement_id = ${uuid(n)}`.execute(writer)
    }
    await nameCharges(3, 'matched')
    const statement = await statementOf()
    const costs = await costsOfStep((tx) => removeReplaced(tx, statement))
    expect(costs.map(({ rows }) => rows).filter((rows) => rows > LINES_READS_MAX)).toEqual([])
  })
})
