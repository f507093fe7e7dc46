import { expect, test } from 'vitest'
import { createRandom } from './random.ts'
import { createBehaviours } from './weather.ts'

test.each([1, 2, 1_391_293_432])(
  'of seed %i, twelve changes meet each way of both rails to call back',
  (seed) => {
    const nextBehaviour = createBehaviours(createRandom(seed))
    for (let round = 0; round < 3; round += 1) {
      const behaviours = Array.from({ length: 12 }, nextBehaviour)
      const mtn = behaviours.map(({ mtn }) => `${mtn.callbackMethod} ${mtn.callbacks}`)
      expect(new Set(mtn).size).toBe(12)
      expect(new Set(behaviours.map(({ orange }) => orange.notifications)).size).toBe(5)
    }
  },
)
