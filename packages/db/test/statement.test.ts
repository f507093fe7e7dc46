import { cloneDatabase } from '@merchant-payments/testing'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { forEachShape, type Placing, statement } from '../src/statement.ts'
import { openTestDatabase } from '../src/testing.ts'

const database = await cloneDatabase()
const db = openTestDatabase(database.url, { readConnections: 1 })
afterAll(async () => {
  await db.close()
  await database.drop()
})

interface Sum {
  readonly a: number
  readonly b: number
}

test('each run has its own values, also where a value has several places', async () => {
  let built = 0
  const add = statement((value: Placing<Sum>) => {
    built += 1
    return sql<{
      sum: number
    }>`select ${value('a')}::integer + ${value('b')}::integer + ${value('a')}::integer as sum`
  })
  expect(await add(db.writer, { a: 1, b: 2 })).toEqual([{ sum: 4 }])
  expect(await add(db.writer, { b: 30, a: 20 })).toEqual([{ sum: 70 }])
  expect(await add(db.reader, { a: 0, b: 0 })).toEqual([{ sum: 0 }])
  expect(built).toBe(1)
})

test('runs within a transaction', async () => {
  const insert = statement(
    (value: Placing<{ name: string }>) =>
      sql<{ name: string }>`insert into leases (name, holder, lease_until)
        values (${value('name')}, gen_random_uuid(), now()) returning name`,
  )
  const undone = db.transact(async (tx) => {
    expect(await insert(tx, { name: 'statement' })).toEqual([{ name: 'statement' }])
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  const { rows } = await sql`select from leases where name = 'statement'`.execute(db.writer)
  expect(rows).toEqual([])
})

test('a value that has no name is refused, since the first run would fix it for all others', async () => {
  const fixed = 'a customer of the first request'
  const read = statement(() => sql`select ${fixed}::text`)
  await expect(read(db.writer, {})).rejects.toThrow('not given by its name')
  await expect(read(db.writer, {})).rejects.toThrow('not given by its name')
})

test('what depends on a shape is made once for each', () => {
  const made: object[] = []
  const of = forEachShape((shape: { held: string; single: boolean }) => {
    made.push(shape)
    return made.length
  })
  const shapes = [true, false, true].map((single) => of({ held: 'skip', single }))
  expect(shapes).toEqual([1, 2, 1])
  expect(of({ held: 'wait', single: true })).toBe(3)
})
