import { expect, test } from 'vitest'
import { systemSleep } from './clock.ts'

const LONGER_THAN_ANY_TEST_MS = 2 ** 31 - 1

test('a sleep ends when its signal aborts', async () => {
  const controller = new AbortController()
  const sleep = systemSleep(LONGER_THAN_ANY_TEST_MS, controller.signal)
  controller.abort()
  expect(await sleep).toBeUndefined()
})

test('a sleep with an aborted signal ends at once', async () => {
  expect(await systemSleep(LONGER_THAN_ANY_TEST_MS, AbortSignal.abort())).toBeUndefined()
})

test('a sleep without a signal ends after its time', async () => {
  expect(await systemSleep(1)).toBeUndefined()
})
