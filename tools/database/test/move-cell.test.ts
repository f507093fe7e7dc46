import { cloneDatabase } from '@merchant-payments/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openCell } from '../src/move/cell.ts'

test('a move whose process stops within a transaction is ended, and its locks with it', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const { client } = await openCell('cell_a', database.url, 'acme')
  onTestFinished(() => client.end())
  const { rows } = await client.query('show idle_in_transaction_session_timeout')
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }])
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
