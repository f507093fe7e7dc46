import { expect, test } from 'vitest'
import { fromWire, toWire } from './wire-case.ts'

test('keys change their case at every depth, and values do not', () => {
  const ours = { atMs: 1, mtn: { callbackMethod: 'PUT', keys: [{ apiKey: 'aB_c' }] }, none: null }
  const wire = { at_ms: 1, mtn: { callback_method: 'PUT', keys: [{ api_key: 'aB_c' }] }, none: null }
  expect(toWire(ours)).toEqual(wire)
  expect(fromWire(wire)).toEqual(ours)
})
