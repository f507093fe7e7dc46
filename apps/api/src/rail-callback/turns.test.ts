import { expect, test } from 'vitest'
import { turnsOf } from './turns.ts'

/** Waits that end when the test says so. */
function turns(pace: () => number | null) {
  const waits: { ms: number; end: () => void }[] = []
  const wait = (ms: number) => new Promise<void>((resolve) => waits.push({ ms, end: resolve }))
  return { waits, waitForTurn: turnsOf(pace, { delayMs: 1_000, delayedMax: 2 }, wait) }
}

test('a call waits for its turn', async () => {
  const paces = [0, 30]
  const { waits, waitForTurn } = turns(() => paces.shift() ?? null)
  expect(await waitForTurn()).toBe(true)
  const second = waitForTurn()
  expect(waits.map(({ ms }) => ms)).toEqual([30])
  waits[0]?.end()
  expect(await second).toBe(true)
})

test('refusals are delayed, but so many at once that connections are left for others', async () => {
  const { waits, waitForTurn } = turns(() => null)
  const delayed = [waitForTurn(), waitForTurn()]
  expect(await waitForTurn()).toBe(false)
  expect(waits.map(({ ms }) => ms)).toEqual([1_000, 1_000])
  for (const { end } of waits) end()
  expect(await Promise.all(delayed)).toEqual([false, false])
  void waitForTurn()
  expect(waits).toHaveLength(3)
})
