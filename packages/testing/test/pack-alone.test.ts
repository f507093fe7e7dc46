import { setTimeout as delay } from 'node:timers/promises'
import { packAlone } from '@merchant-payments/testing/pack-alone'
import { expect, test } from 'vitest'

test('one pack waits for another, also for one that fails', async () => {
  let packing = 0
  let most = 0
  const pack = async (fails: boolean) => {
    most = Math.max(most, ++packing)
    await delay(50)
    packing -= 1
    if (fails) throw new Error('no package')
  }

  const ended = await Promise.allSettled([true, false, false].map((fails) => packAlone(() => pack(fails))))

  expect(most).toBe(1)
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
})
