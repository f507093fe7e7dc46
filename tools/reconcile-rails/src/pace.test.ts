import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paced } from './pace.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const sleep = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms)
  })

test('begins no more than the given number in a second, and keeps the order of the results', async () => {
  const begunAtMs: number[] = []
  const start = Date.now()
  const done = paced([3, 1, 2], { atOnce: 3, perSecond: 10 }, async (item) => {
    begunAtMs.push(Date.now() - start)
    await sleep(item * 1_000)
    return item
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await done).toEqual([3, 1, 2])
  expect(begunAtMs).toEqual([0, 100, 200])
})

test('has no more under way than the given number', async () => {
  let underWay = 0
  let most = 0
  const done = paced(Array.from({ length: 9 }), { atOnce: 2, perSecond: 1_000 }, async () => {
    underWay += 1
    most = Math.max(most, underWay)
    await sleep(500)
    underWay -= 1
  })
  await vi.advanceTimersByTimeAsync(10_000)
  await done
  expect(most).toBe(2)
})
