import { expect, test } from 'vitest'
import { REDACTED } from './redact.ts'
import { maskedNumber } from './masked-number.ts'

test.each([
  ['237670123427', '6 •• •• •• 27'],
  ['242066543210', '0 •• •• •• 10'],
  [REDACTED, null],
  [null, null],
])('%s is shown as %s', (number, masked) => {
  expect(maskedNumber(number)).toBe(masked)
})
