import { expect, test } from 'vitest'
import { amountOf, parseSearch, queryOf, readAddress, since, writeAddress } from './search.ts'

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

test.each([
  ['25', '25', '2500'],
  ['25 000', '25000', '2500000'],
  ['25,000', '25000', undefined],
  ['25.000', '25000', undefined],
  ['25.5', undefined, '2550'],
  ['25,50', undefined, '2550'],
  ['1,250.50', undefined, '125050'],
  ['1.250,50', undefined, '125050'],
  ['1 250,50', undefined, '125050'],
  ['1.250.50', undefined, undefined],
  ['25.505', '25505', undefined],
  ['2 5', undefined, undefined],
  ['0', undefined, undefined],
  ['0.05', undefined, '5'],
  ['99 999 999', '99999999', undefined],
  ['many', undefined, undefined],
])('the amount %s is %s in minor units of XAF and %s in those of EUR', (text, inXaf, inEur) => {
  expect(amountOf(text)).toBe(inXaf)
  expect(amountOf(text, 'EUR')).toBe(inEur)
  expect(queryOf({ amount_from: text, amount_to: text, currency: 'EUR' })).toEqual({
    'amount[gte]': inEur,
    'amount[lte]': inEur,
    currency: 'EUR',
  })
})

test('an amount in a currency that the service does not have is no bound', () => {
  expect(amountOf('25', 'USD')).toBeUndefined()
})

test('bounds of an amount are of one currency: that of the address, or XAF', () => {
  expect(queryOf({ amount_from: '25 000' })).toEqual({ 'amount[gte]': '25000', currency: 'XAF' })
  expect(queryOf({ amount_to: '25', currency: 'EUR' })).toEqual({ 'amount[lte]': '2500', currency: 'EUR' })
})

test('a currency of the address is sent, also without a bound that can be read', () => {
  expect(queryOf({ status: 'succeeded', currency: 'EUR' })).toEqual({ status: 'succeeded', currency: 'EUR' })
  expect(queryOf({ amount_from: 'many', currency: 'EUR' })).toEqual({ currency: 'EUR' })
  expect(queryOf({ status: 'succeeded' })).toEqual({ status: 'succeeded' })
})
