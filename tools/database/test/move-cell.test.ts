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
