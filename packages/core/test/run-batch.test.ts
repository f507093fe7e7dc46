import { sqlState, within } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type CustomerId, uuidOf } from '../src/base/ids.ts'
import { isOfLock, isOfStatement, isOfWaiting } from '../src/base/refused-statements.ts'
import { readInHalves } from '../src/queue/read-in-halves.ts'
import { type BatchSession, runBatch, runBatchOfOwners } from '../src/queue/run-batch.ts'
import { hold, openWorld, saveCustomer } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const failure = (code: string) => Object.assign(new Error(code), { code })

/** Refuses every statement that contains such an item, with the item's code. */
function store(refused: Readonly<Record<string, string>>) {
  const statements: string[] = []
  const write = async (items: readonly string[], { writer }: BatchSession) => {
    statements.push(items.join(' '))
    const code = items.map((item) => refused[item]).find((found) => found !== undefined)
    if (code !== undefined) await refuse(writer, code)
    return items.map((item) => `${item} written`)
  }
  const ofRefused = (item: string, error: unknown) => `${item} refused ${sqlState(error)}`
  const batch = { db: world.db, write, ofRefused }
  return {
    statements,
    run: (items: readonly string[]) => runBatch(items, batch),
    runOfOwners: (items: readonly string[]) => runBatchOfOwners(items, ([owner = '']) => owner, batch),
  }
}

/** Only the server refuses with a SQLSTATE. A broken connection has an error of the client. */
async function refuse(writer: BatchSession['writer'], code: string): Promise<never> {
  if (/^[0-9A-Z]{5}$/.test(code))
    await sql`do ${sql.lit(`begin raise exception using errcode = '${code}'; end`)}`.execute(writer)
  throw failure(code)
}

describe('a batch', () => {
  test('is one statement', async () => {
    const { run, statements } = store({})
    expect(await run(['a', 'b'])).toEqual(['a written', 'b written'])
    expect(statements).toEqual(['a b'])
  })

  test('without items runs no statement', async () => {
    const { run, statements } = store({})
    expect(await run([])).toEqual([])
    expect(statements).toEqual([])
  })

  test.each(['22003', '23514', 'P0001', '40P01', '40001', '55P03', '57014', '42883', 'XX001', '58030'])(
    'that is refused with %s is tried in halves, and all but the one item are written',
    async (code) => {
      const { run, statements } = store({ b: code })
      expect(await run(['a', 'b', 'c'])).toEqual(['a written', `b refused ${code}`, 'c written'])
      expect(statements).toEqual(['a b c', 'a b', 'a', 'b', 'c'])
    },
  )

  test.each(['08006', '57P01', '53300', '25006', 'ECONNRESET'])(
    'that meets %s blames no item: the database is away',
    async (code) => {
      const { run, statements } = store({ a: code })
      await expect(run(['a', 'b'])).rejects.toMatchObject({ code })
      expect(statements).toEqual(['a b'])
    },
  )
})

describe('a batch of several owners', () => {
  test('is one statement', async () => {
    const { runOfOwners, statements } = store({})
    expect(await runOfOwners(['a1', 'b1'])).toEqual(['a1 written', 'b1 written'])
    expect(statements).toEqual(['a1 b1'])
  })

  test('that waits for one of them writes all others before it tries that one’s items in halves', async () => {
    const { runOfOwners, statements } = store({ a1: '55P03', a2: '55P03' })
    expect(await runOfOwners(['a1', 'b1', 'a2', 'c1', 'b2'])).toEqual([
      'a1 refused 55P03',
      'b1 written',
      'a2 refused 55P03',
      'c1 written',
      'b2 written',
    ])
    expect(statements).toEqual(['a1 b1 a2 c1 b2', 'a1 a2', 'b1 b2', 'c1', 'a1 a2', 'a1', 'a2'])
  })

  test('blames no item if the database is away', async () => {
    const { runOfOwners } = store({ a1: '08006' })
    await expect(runOfOwners(['a1', 'b1'])).rejects.toMatchObject({ code: '08006' })
  })
})

describe('a batch with rows that another transaction holds', () => {
  const CUSTOMERS = 8
  const LOCK_TIMEOUT_MS = 300
  let customers: CustomerId[]
  /** The lock time-out of each statement and of each record of a refused item. */
  let waits: string[]
  let recorded: string[]

  beforeEach(async () => {
    customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => saveCustomer(world)))
    waits = []
    recorded = []
  })

  const noteWait = async ({ writer }: BatchSession) => {
    const { rows } = await sql<{ wait: string }>`select current_setting('lock_timeout') as wait`.execute(
      writer,
    )
    waits.push(rows[0]?.wait ?? '')
  }

  const rename = async (some: readonly CustomerId[], session: BatchSession) => {
    await noteWait(session)
    const { rows } = await sql<{ id: string }>`update customers set name = 'Awa'
      where id = any (${some.map(uuidOf)}::uuid[]) returning id`.execute(session.writer)
    return rows.map(() => 'written')
  }

  const ofRefused = (_: CustomerId, error: unknown) => (isOfLock(error) ? 'held' : 'refused')
  const recordRefusal = async (customer: CustomerId, _: unknown, session: BatchSession) => {
    await noteWait(session)
    await session.transact((tx) => sql`select 1`.execute(tx))
    recorded.push(customer)
  }

  test.each([
    ['runBatch', runBatch<CustomerId, string>],
    [
      'runBatchOfOwners',
      (some: readonly CustomerId[], batch: Parameters<typeof runBatch<CustomerId, string>>[1]) =>
        runBatchOfOwners(some, (customer) => (customers.indexOf(customer) < 4 ? 'acme' : 'globex'), batch),
    ],
  ])('waits for the whole time-out once: %s', async (_, run) => {
    const held = customers.slice(0, -1)
    const free = await hold(
      world,
      sql`select from customers where id = any (${held.map(uuidOf)}::uuid[]) for update`,
    )
    const db = openTestDatabase(world.appUrl, { lockTimeoutMs: LOCK_TIMEOUT_MS })
    onTestFinished(() => db.close())
    expect(await run(customers, { db, write: rename, ofRefused, recordRefusal })).toEqual([
      ...held.map(() => 'held'),
      'written',
    ])
    expect(recorded).toEqual(held)
    const [first, ...others] = waits
    expect(first).toBe(`${LOCK_TIMEOUT_MS}ms`)
    expect(others.length).toBeGreaterThan(2 * held.length)
    expect(new Set(others)).toEqual(new Set(['100ms']))
    await free()
  })

  test('waits once where only the statement time-out ends a wait, as behind a pooler', async () => {
    const held = customers.slice(0, -1)
    const free = await hold(
      world,
      sql`select from customers where id = any (${held.map(uuidOf)}::uuid[]) for update`,
    )
    const db = openTestDatabase(world.appUrl)
    onTestFinished(() => db.close())
    const write = (some: readonly CustomerId[], { transact }: BatchSession) =>
      transact(async (tx) => {
        await sql`set local statement_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(tx)
        return rename(some, { ...within(tx), transact: (work) => work(tx) })
      })
    expect(await runBatch(customers, { db, write, ofRefused })).toEqual([
      ...held.map(() => 'held'),
      'written',
    ])
    const [first, ...others] = waits
    expect(first).toBe('0')
    expect(new Set(others)).toEqual(new Set(['100ms']))
    await free()
  })

  test('is written whether or not a refusal can be recorded', async () => {
    const [held, ...others] = customers as [CustomerId, ...CustomerId[]]
    const row = sql`select from customers where id = ${uuidOf(held)}::uuid for update`
    const free = await hold(world, row)
    const db = openTestDatabase(world.appUrl, { lockTimeoutMs: LOCK_TIMEOUT_MS })
    onTestFinished(() => db.close())
    const results = await runBatch([held, ...others], {
      db,
      write: rename,
      ofRefused,
      recordRefusal: async (_, __, { writer }) => void (await row.execute(writer)),
    })
    expect(results).toEqual(['held', ...others.map(() => 'written')])
    await free()
  })

  test('is written as before if the refusal was of another kind', async () => {
    const { db } = world
    const results = await runBatch(customers, {
      db,
      write: async (some, session) => {
        if (some.includes(customers[0] as CustomerId)) await refuse(session.writer, '22003')
        return rename(some, session)
      },
      ofRefused,
      recordRefusal,
    })
    expect(results).toEqual(['refused', ...customers.slice(1).map(() => 'written')])
    expect(new Set(waits)).toEqual(new Set(['0']))
  })
})

test.each([
  ['without a code', new Error('anything')],
  ['of a socket', failure('EPIPE')],
  ['whose completion is unknown', failure('40003')],
])('an error %s is not about a statement', (_, error) => {
  expect(isOfStatement(error)).toBe(false)
})

test.each([
  ['40P01', true, true],
  ['40001', true, true],
  ['55P03', true, true],
  ['57014', false, true],
  ['25P03', false, true],
  ['25P04', false, true],
  ['22003', false, false],
  ['23514', false, false],
  ['57P01', false, false],
])('%s is of a lock: %s, of waiting: %s', (code, ofLock, ofWaiting) => {
  expect(isOfLock(failure(code))).toBe(ofLock)
  expect(isOfWaiting(failure(code))).toBe(ofWaiting)
})

describe('a read of several rows', () => {
  /** Reads that fail for an item with the item's code. */
  async function readBeside(code: string) {
    const statements: string[] = []
    const setAside: string[] = []
    const parts = await readInHalves(
      ['a', 'b', 'bad', 'd', 'e'],
      async (some) => {
        statements.push(some.join(' '))
        if (some.includes('bad')) throw failure(code)
        return some
      },
      async (item, error) => {
        setAside.push(`${item} ${sqlState(error)}`)
        throw failure('23514')
      },
    )
    return { read: parts.flat(), statements, setAside }
  }

  test.each(['XX000', 'XX001', '58030', '58P01'])(
    'of which one fails for %s is repeated in halves, down to that row',
    async (code) => {
      expect(await readBeside(code)).toEqual({
        read: ['a', 'b', 'd', 'e'],
        statements: ['a b bad d e', 'a b bad', 'a b', 'bad', 'd e'],
        setAside: [`bad ${code}`],
      })
    },
  )

  test('of which none of many can be read counts against none of them: the storage is away', async () => {
    const setAside: string[] = []
    const readNone = (items: readonly string[]) =>
      readInHalves(
        items,
        async () => {
          throw failure('58030')
        },
        async (item) => void setAside.push(item),
      )
    await expect(readNone(['a', 'b', 'c', 'd'])).rejects.toMatchObject({ code: '58030' })
    expect(setAside).toEqual([])
    expect(await readNone(['a', 'b', 'c'])).toEqual([])
    expect(setAside).toEqual(['a', 'b', 'c'])
  })

  // These would be counted against every row.
  test.each(['42501', '42703', '57014', '40P01', '53200', 'EPIPE', 'query_timeout'])(
    'that fails for %s is not repeated',
    async (code) => {
      await expect(readBeside(code)).rejects.toMatchObject({ code })
    },
  )
})
