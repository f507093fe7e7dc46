import { expect, test } from 'vitest'
import { limitsOf } from './surfaces.ts'

test.each([
  [32, { running: 12, runningOfOwner: 6, runningBesideOthers: 4, runningUnderPressure: 3 }],
  [16, { running: 12, runningOfOwner: 6, runningBesideOthers: 4, runningUnderPressure: 3 }],
  [10, { running: 7, runningOfOwner: 3, runningBesideOthers: 2, runningUnderPressure: 1 }],
  [2, { running: 1, runningOfOwner: 1, runningBesideOthers: 1, runningUnderPressure: 1 }],
])('writes outside of shared statements leave some of %i connections to the shared ones', (size, limits) => {
  expect(limitsOf(size)).toEqual({ v1_writes: limits })
})
