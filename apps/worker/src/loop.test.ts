import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startLoop } from './loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function startCounting(run: (runs: number) => Promise<{ full: boolean }>, everyMs: number | (() => number)) {
  let runs = 0
  const log = { error: () => undefined } as never
  const loop = startLoop({ name: 'test', everyMs, run: () => run((runs += 1)), log, clock: Date.now })
  return { loop, runs: () => runs }
}

test('a ring ends a rest, and does not end the rest after a failure', async () => {
  const { loop, runs } = startCounting(async (run) => {
    if (run === 2) throw new Error('refused')
    return { full: false }
  }, 60_000)
  await vi.advanceTimersByTimeAsync(0)
  expect(runs()).toBe(1)
  loop.ring()
  await vi.advanceTimersByTimeAsync(0)
  expect(runs()).toBe(2)
  loop.ring()
  await vi.advanceTimersByTimeAsync(499)
  expect(runs()).toBe(2)
  // The ring is not lost: it skips the rest that would follow.
  await vi.advanceTimersByTimeAsync(1)
  expect(runs()).toBe(4)
  await loop.stop()
})

test('a stop ends the rest after a failure', async () => {
  const { loop, runs } = startCounting(() => Promise.reject(new Error('refused')), 60_000)
  await vi.advanceTimersByTimeAsync(0)
  await loop.stop()
  expect(runs()).toBe(1)
})

test('an interval that changes holds from the next rest on', async () => {
  let everyMs = 5_000
  const { loop, runs } = startCounting(
    async () => ({ full: false }),
    () => everyMs,
  )
  await vi.advanceTimersByTimeAsync(0)
  everyMs = 20
  loop.ring()
  await vi.advanceTimersByTimeAsync(0)
  const before = runs()
  await vi.advanceTimersByTimeAsync(200)
  expect(runs() - before).toBe(10)
  await loop.stop()
})
