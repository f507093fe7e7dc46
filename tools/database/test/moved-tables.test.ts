import { cloneDatabase } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'
import { movedTables, stayingTables } from '../src/move/tables.ts'

test('every table moves with a merchant, or has a reason why its rows stay', async () => {
  const { url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const rows = await runStatement<{ name: string }>(
    url,
    `select relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
  )
  const named = [...movedTables, ...Object.keys(stayingTables)]
  expect(named.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})
