import { cloneDatabase } from '@merchant-payments/testing'
import type pg from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { BoundedClient } from '../src/bounded-client.ts'

const { url, drop } = await cloneDatabase()
afterAll(drop)

async function connect(): Promise<BoundedClient> {
  const client = new BoundedClient({
    connectionString: url,
    queryTimeoutMs: 10_000,
    silence: { sinceMs: 0 },
  })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('an answer has all that pg gives of it', async () => {
  const client = await connect()
  const answer = (await client.query('select 1 as one')) as pg.QueryResult
  expect(answer).toMatchObject({ rows: [{ one: 1 }], rowCount: 1, command: 'SELECT' })
  expect(answer.fields.map(({ name }) => name)).toEqual(['one'])
})

test('several statements have an answer each', async () => {
  const client = await connect()
  const answers = (await client.query('select 1 as one; select 2 as two')) as unknown as pg.QueryResult[]
  expect(answers.map(({ rows }) => rows as unknown[])).toEqual([[{ one: 1 }], [{ two: 2 }]])
})

test('the error of a statement has the trace of its caller', async () => {
  const client = await connect()
  const error = await client.query('select 1 / 0').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: '22012',
    stack: expect.stringContaining('bounded-client.test.ts') as string,
  })
})
