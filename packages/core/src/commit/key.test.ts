import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprintOf } from './key.ts'

const path = '/v1/payment_intents'
const bytes = (text: string) => new TextEncoder().encode(text)

test('a request has one fingerprint, of 32 bytes', () => {
  const fingerprint = fingerprintOf('POST', path, bytes('amount=1'))
  expect(fingerprint).toEqual(fingerprintOf('POST', path, bytes('amount=1')))
  expect(fingerprint).toHaveLength(32)
})

test.each([
  ['method', 'PATCH', path, 'amount=1'],
  ['path', 'POST', `${path}/pi_1/confirm`, 'amount=1'],
  ['body', 'POST', path, 'amount=2'],
  ['order of parameters', 'POST', path, 'currency=XAF&amount=1'],
  ['spelling of the same body', 'POST', path, 'amount=%31'],
  ['empty body', 'POST', path, ''],
])('another %s is another request', (_what, method, at, body) => {
  const first = fingerprintOf('POST', path, bytes('amount=1&currency=XAF'))
  expect(fingerprintOf(method, at, bytes(body))).not.toEqual(first)
})

test('a path cannot pass for a part of the body, whatever both are', () => {
  const paths = fc.stringMatching(/^\/[a-z_/]{1,10}$/)
  fc.assert(
    fc.property(paths, paths, fc.uint8Array(), fc.uint8Array(), (pathA, pathB, bodyA, bodyB) => {
      const same = pathA === pathB && Buffer.compare(bodyA, bodyB) === 0
      expect(fingerprintOf('POST', pathA, bodyA).equals(fingerprintOf('POST', pathB, bodyB))).toBe(same)
    }),
  )
})
