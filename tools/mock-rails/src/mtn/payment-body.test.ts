import { expect, test } from 'vitest'
import { normaliseAmount } from './payment-body.ts'

test.each([
  ['5.0', '5'],
  ['1000', '1000'],
  ['007', '7'],
  ['12.30', '12.3'],
  ['0.50', '0.5'],
  ['100.00', '100'],
])('the amount %s is echoed as %s', (sent, echoed) => {
  expect(normaliseAmount(sent)).toBe(echoed)
})
