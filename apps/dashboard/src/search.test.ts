import { expect, test } from 'vitest'
import { parseSearch, queryOf, readAddress, writeAddress } from './search.ts'

test('an address is read as it is written, and digits stay text', () => {
  const search = { status: 'succeeded', customer: '237670000001', from: '2026-11-21' }
  expect(writeAddress(search)).toBe('?status=succeeded&customer=237670000001&from=2026-11-21')
  expect(parseSearch(readAddress(writeAddress(search)))).toEqual(search)
})

test('unknown and empty filters are left out', () => {
  expect(parseSearch({ utm_source: 'mail', status: '', rail: 'mtn_momo_cm', merchant: 7 })).toEqual({
    rail: 'mtn_momo_cm',
  })
  expect(writeAddress({})).toBe('')
})

test('an invalid day is no bound', () => {
  expect(queryOf({ from: 'yesterday', until: '2026-13-45' })).toEqual({})
})
