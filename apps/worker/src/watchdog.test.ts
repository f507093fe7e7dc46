import { createLog } from '@merchant-payments/telemetry'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startLoop } from './loop.ts'
import { createWatchdog, type Watchdog } from './watchdog.ts'

const OVERDUE_MS = 1_000

let alerts: unknown[]
let watchdog: Watchdog
beforeEach(() => {
  vi.useFakeTimers()
  alerts = []
  watchdog = createWatchdog((name, facts) => alerts.push({ name, ...facts }))
})
afterEach(() => {
  vi.useRealTimers()
})

/** A loop whose passes end when the test releases them. */
function loopOfHeldPasses() {
  const held: (() => void)[] = []
  const run = () => new Promise<{ full: boolean }>((resolve) => held.push(() => resolve({ full: false })))
  const loop = startLoop({
    name: 'settle-charges',
    everyMs: 10,
    run: () => watchdog.watch('settle-charges', OVERDUE_MS, run()),
    log: createLog('worker', 'silent'),
    clock: () => 0,
  })
  return { held, loop }
}

test('a pass that does not return causes one alert, and is not started again meanwhile', async () => {
  const { held, loop } = loopOfHeldPasses()
  await vi.advanceTimersByTimeAsync(OVERDUE_MS - 1)
  expect({ alerts, overdue: watchdog.overdue() }).toEqual({ alerts: [], overdue: [] })

  await vi.advanceTimersByTimeAsync(100 * OVERDUE_MS)
  expect(alerts).toEqual([{ name: 'pass_overdue', pass: 'settle-charges', after_ms: OVERDUE_MS }])
  expect({ started: held.length, overdue: watchdog.overdue() }).toEqual({
    started: 1,
    overdue: ['settle-charges'],
  })

  const stopped = loop.stop()
  held[0]?.()
  await stopped
})

test('a pass that returns late is no longer overdue, and the next one runs', async () => {
  const { held, loop } = loopOfHeldPasses()
  await vi.advanceTimersByTimeAsync(OVERDUE_MS)
  held[0]?.()
  await vi.advanceTimersByTimeAsync(10)
  expect({ started: held.length, overdue: watchdog.overdue() }).toEqual({ started: 2, overdue: [] })

  const stopped = loop.stop()
  held[1]?.()
  await stopped
})

test('work that ends in time, with or without an error, causes no alert', async () => {
  await watchdog.watch('fan-out-events', OVERDUE_MS, Promise.resolve())
  await expect(watchdog.watch('fan-out-events', OVERDUE_MS, Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  )
  await vi.advanceTimersByTimeAsync(2 * OVERDUE_MS)
  expect(alerts).toEqual([])
})
