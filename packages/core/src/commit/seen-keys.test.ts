import { expect, test } from 'vitest'
import type { MerchantId } from '../base/ids.ts'
import { fingerprintOf, type KeyClaim } from './key.ts'
import { rememberKeys } from './seen-keys.ts'

const claim: KeyClaim = {
  merchantId: 'acme' as MerchantId,
  scope: 'v1',
  key: 'order-1',
  fingerprint: fingerprintOf('POST', '/v1/customers', new Uint8Array()),
  requestId: 'req_1',
  okStatus: 200,
}

test('a request is known by its merchant, scope, key and contents, and not by its request id', () => {
  const seen = rememberKeys()
  expect(seen.has(claim)).toBe(false)
  seen.add(claim)
  expect(seen.has({ ...claim, requestId: 'req_2' })).toBe(true)
  expect(seen.has({ ...claim, merchantId: 'other' as MerchantId })).toBe(false)
  expect(seen.has({ ...claim, scope: 'browser:1' })).toBe(false)
  expect(seen.has({ ...claim, key: 'order-2' })).toBe(false)
  expect(seen.has({ ...claim, fingerprint: Buffer.alloc(32, 1) })).toBe(false)
})

test('a flood of keys takes no more memory, and few unused keys are mistaken for used ones', () => {
  const seen = rememberKeys()
  for (let n = 0; n < 200_000; n += 1) seen.add({ ...claim, key: `flood-${n}` })
  const wrong = Array.from({ length: 10_000 }, (_, n) => seen.has({ ...claim, key: `new-${n}` }))
  expect(wrong.filter(Boolean).length).toBeLessThan(10)
})
