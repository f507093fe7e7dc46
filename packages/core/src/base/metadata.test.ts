import { expect, test } from 'vitest'
import { sameMetadata, mergeMetadata, newMetadata } from './metadata.ts'

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))

test('a value that is sent empty is removed', () => {
  expect({ ...newMetadata({ a: '1', b: '' }) }).toEqual({ a: '1' })
  expect({ ...newMetadata(undefined) }).toEqual({})
  expect({ ...mergeMetadata({ a: '1', b: '2' }, { a: '', c: '3', d: '' }) }).toEqual({ b: '2', c: '3' })
  expect({ ...mergeMetadata({ a: '1' }, null) }).toEqual({})
  expect({ ...mergeMetadata({ a: '1' }, undefined) }).toEqual({ a: '1' })
})

test('at most fifty keys remain', () => {
  expect(Object.keys(mergeMetadata(keys(50), { k0: 'w' }))).toHaveLength(50)
  expect(Object.keys(mergeMetadata(keys(50), { k0: '', k50: 'v' }))).toHaveLength(50)
  expect(() => mergeMetadata(keys(50), { k50: 'v' })).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'metadata' }),
  )
})

test('the names of Object’s own properties are ordinary keys', () => {
  const odd = JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>
  expect(JSON.stringify(mergeMetadata({}, odd))).toBe('{"__proto__":"1","constructor":"2"}')
  expect(sameMetadata({}, newMetadata(odd))).toBe(false)
  expect(sameMetadata(odd, newMetadata(odd))).toBe(true)
})

test('another order of keys is no change', () => {
  expect(sameMetadata({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true)
  expect(sameMetadata({ a: '1' }, { a: '2' })).toBe(false)
  expect(sameMetadata({ a: '1' }, { b: '1' })).toBe(false)
})
