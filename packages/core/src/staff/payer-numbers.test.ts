import { expect, test } from 'vitest'
import { fingerprintOf } from '../commit/key.ts'
import { payerNumbersOf } from './payer-numbers.ts'

const older = { version: 1, key: 'an older key of a test' }
const newer = { version: 2, key: 'a newer key of a test' }
const bare = fingerprintOf('POST', '/x', Buffer.from('msisdn=237670000001'))

test('a request has one fingerprint for each key, and matches the fingerprint of any key and the unkeyed hash', () => {
  const [before] = payerNumbersOf([older], Date.now).fingerprintsOf(bare)
  const [after, ...others] = payerNumbersOf([newer, older], Date.now).fingerprintsOf(bare)
  expect(others).toEqual([before, bare])
  for (const mark of [before, after]) expect(mark).not.toEqual(bare)
  expect(after).not.toEqual(before)
})
