import { expect, test } from 'vitest'
import { majorOf } from './java.ts'

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "1.8.0_392"', 8],
  ['openjdk version "25" 2025-09-16', 25],
  ['bash: java: command not found', 0],
])('%s is Java %d', (said, major) => {
  expect(majorOf(said)).toBe(major)
})
