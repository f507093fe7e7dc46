import { expect, test } from 'vitest'
import { parseSearch, queryOf, readAddress, since, writeAddress } from './search.ts'

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

test('a day counts as a whole, and an instant exactly', () => {
  const at = Date.UTC(2026, 10, 21, 14, 30, 5) / 1_000
  expect(queryOf({ from: '2026-11-21', until: '2026-11-21' })).toEqual({
    'created[gte]': String(Date.UTC(2026, 10, 21) / 1_000),
    'created[lt]': String(Date.UTC(2026, 10, 22) / 1_000),
  })
  expect(queryOf({ from: '2026-11-21T14:30:05', until: '2026-11-21T15:00' })).toEqual({
    'created[gte]': String(at),
    'created[lt]': String(Date.UTC(2026, 10, 21, 15) / 1_000),
  })
  for (const zone of ['utc', 'douala'] as const) {
    expect(queryOf(since(at, zone))).toEqual({ 'created[gte]': String(at) })
  }
})

test('a bound is one of the zone that the address names', () => {
  expect(queryOf({ from: '2026-11-21', until: '2026-11-21T12:00', zone: 'douala' })).toEqual({
    'created[gte]': String(Date.UTC(2026, 10, 20, 23) / 1_000),
    'created[lt]': String(Date.UTC(2026, 10, 21, 11) / 1_000),
  })
  expect(writeAddress({ ...since(0, 'douala') })).toBe('?from=1970-01-01T01%3A00%3A00&zone=douala')
})

test('an invalid day or time is no bound', () => {
  expect(queryOf({ from: 'yesterday', until: '2026-13-45' })).toEqual({})
  expect(queryOf({ from: '2026-11-21T25:00', until: '2026-11-21T' })).toEqual({})
})
