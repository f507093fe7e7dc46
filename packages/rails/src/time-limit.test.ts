import { once } from 'node:events'
import { expect, test } from 'vitest'
import { withTimeLimit } from './time-limit.ts'

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('a finished call leaves no timer behind', async () => {
  const before = timers()
  expect(await withTimeLimit(60_000, async (signal) => signal.aborted)).toBe(false)
  expect(timers()).toBe(before)
})

test('a failed call leaves no timer behind', async () => {
  const before = timers()
  await expect(withTimeLimit(60_000, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  expect(timers()).toBe(before)
})

test('the signal aborts at the limit', async () => {
  const aborted = await withTimeLimit(1, async (signal) => {
    await once(signal, 'abort')
    return signal.aborted
  })
  expect(aborted).toBe(true)
})
