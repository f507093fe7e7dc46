import { cloneDatabase } from '@merchant-payments/testing'
import { connect, runStatement } from '@merchant-payments/testing/client'
import { createEncoded } from '@merchant-payments/testing/encodings'
import { expect, onTestFinished, test } from 'vitest'
import { openCell } from '../src/move/cell.ts'
import { findEncodingFaults } from '../src/move/encodings.ts'

test('a move whose process stops within a transaction is ended, and its locks with it', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const { client } = await openCell('cell_a', database.url, 'acme')
  onTestFinished(() => client.end())
  const { rows } = await client.query('show idle_in_transaction_session_timeout')
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }])
})

test('a digest takes the time that it needs, whatever time-outs its role has', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  await runStatement(
    database.url,
    `do $$ begin execute format('alter database %I set transaction_timeout = ''100ms''', current_database()); end $$`,
  )
  const { client } = await openCell('cell_a', database.url, 'acme')
  onTestFinished(() => client.end())
  expect((await client.query('select from pg_sleep(0.3)')).rowCount).toBe(1)
})

test('a run that is stopped within a long statement leaves its lock to the next one', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const { client: stopped } = await openCell('cell_a', database.url, 'acme')
  stopped.on('error', () => undefined)
  // Longer than the test's time limit.
  const statement = stopped.query('select pg_sleep(600)')
  await expect(openCell('cell_a', database.url, 'acme')).rejects.toThrow('cell_a: another run moves acme')

  stopped.connection.stream.destroy()
  await expect(statement).rejects.toThrow('Connection terminated')
  const next = () =>
    openCell('cell_a', database.url, 'acme').then(
      ({ client }) => client.end().then(() => 'opened'),
      (error: Error) => error.message,
    )
  await expect.poll(next, { timeout: 10_000 }).toBe('opened')
})

test('a cell that would store or find texts otherwise is a fault', async () => {
  const [folding, plain, latin] = [
    await cloneDatabase(),
    await createEncoded('UTF8'),
    await createEncoded('LATIN1'),
  ]
  const clients = await Promise.all([folding, plain, latin].map(({ url }) => connect(url)))
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.end()))
    await Promise.all([folding, plain, latin].map(({ drop }) => drop()))
  })
  const cells = ['folding', 'plain', 'latin'].flatMap((name, n) => {
    const client = clients[n]
    return client === undefined ? [] : [{ name, client }]
  })
  const [a = expect.unreachable(), b = expect.unreachable(), c = expect.unreachable()] = cells
  expect(await findEncodingFaults({ from: a, to: a })).toEqual([])
  expect(await findEncodingFaults({ from: b, to: a })).toEqual([])
  expect(await findEncodingFaults({ from: a, to: b })).toEqual([
    'the locale of plain does not fold accents, as that of folding does: searches would find less',
  ])
  expect(await findEncodingFaults({ from: a, to: c })).toEqual([
    'the encodings differ: folding has UTF8, latin has LATIN1',
  ])
})
