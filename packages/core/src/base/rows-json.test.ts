import { expect, test } from 'vitest'
import { rowsJson } from './rows-json.ts'

test('a row keeps all values but its nulls', () => {
  const rows = [
    { id: 'a', amount: 0, sent: false, note: '', error: null, rails: ['x'], metadata: { order: '1' } },
    { id: 'b', amount: 5, sent: true, note: null, error: 'late', rails: [], metadata: {} },
  ]
  expect(JSON.parse(rowsJson(rows))).toEqual([
    { id: 'a', amount: 0, sent: false, note: '', rails: ['x'], metadata: { order: '1' } },
    { id: 'b', amount: 5, sent: true, error: 'late', rails: [], metadata: {} },
  ])
})
