import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts'

const MINUTE_MS = 60_000
const NOON_MS = Date.UTC(2026, 10, 22, 12)

/** The machine's monotonic time, and the database's offset from it. */
let atMs: number
let aheadMs: number
let tripMs: { there: number; back: number }
let away: Error | null
let steps: number[]
let failures: unknown[]
let database: DatabaseClock

const databaseMs = () => NOON_MS + atMs + aheadMs
const read = async () => {
  if (away !== null) throw away
  atMs += tripMs.there
  const time = databaseMs()
  atMs += tripMs.back
  return time
}
const withSystemClock = (offMs: number) =>
  createDatabaseClock({
    systemClock: () => NOON_MS + atMs + offMs,
    monotonicMs: () => atMs,
    onStep: (byMs) => steps.push(byMs),
    onFailure: (error) => failures.push(error),
  })
/** The clock's error before and after its next measurement. */
async function measured() {
  await vi.advanceTimersByTimeAsync(9_999)
  atMs += 10_000
  const before = database.clock() - databaseMs()
  await vi.advanceTimersByTimeAsync(1)
  return { before, after: database.clock() - databaseMs() }
}

beforeEach(() => {
  vi.useFakeTimers()
  ;[atMs, aheadMs, tripMs, away, steps, failures] = [0, 0, { there: 0, back: 0 }, null, [], []]
})
afterEach(() => {
  database.stop()
  vi.useRealTimers()
})

describe('at boot', () => {
  test.each([10 * MINUTE_MS, -10 * MINUTE_MS])('a system clock %i ms off is corrected', async (offMs) => {
    database = withSystemClock(offMs)
    expect(database.clock() - databaseMs()).toBe(offMs)
    await database.start(read)
    expect(database.clock()).toBe(databaseMs())
    expect(steps).toEqual([-offMs])
  })

  test('takes the midpoint of the round trip as the time of the database’s answer', async () => {
    tripMs = { there: 30, back: 50 }
    database = withSystemClock(0)
    await database.start(read)
    expect(database.clock() - databaseMs()).toBe(-10)
  })

  test('uses the quickest measurement if all are slow', async () => {
    const trips = [
      { there: 2_000, back: 0 },
      { there: 600, back: 0 },
      { there: 900, back: 0 },
    ]
    database = withSystemClock(10 * MINUTE_MS)
    await database.start(() => {
      tripMs = trips.shift() ?? { there: 0, back: 0 }
      return read()
    })
    expect(database.clock() - databaseMs()).toBe(600 / 2)
    expect(trips).toEqual([])
  })

  test('rejects if the database cannot be reached', async () => {
    away = new Error('away')
    database = withSystemClock(0)
    await expect(database.start(read)).rejects.toThrow('away')
  })
})

describe('every ten seconds', () => {
  beforeEach(async () => {
    database = withSystemClock(0)
    await database.start(read)
  })

  test('a small correction forwards is made at once', async () => {
    aheadMs = 400
    expect(await measured()).toEqual({ before: -400, after: 0 })
    expect(steps).toEqual([])
  })

  test('a small correction backwards stops the clock until the database’s time reaches it', async () => {
    aheadMs = -400
    expect(await measured()).toEqual({ before: 400, after: 400 })
    const held = database.clock()
    atMs += 399
    expect(database.clock()).toBe(held)
    atMs += 2
    expect(database.clock()).toBe(held + 1)
    expect(database.clock()).toBe(databaseMs())
  })

  test.each([5 * MINUTE_MS, -5 * MINUTE_MS])('a correction of %i ms is made at once', async (byMs) => {
    aheadMs = byMs
    expect(await measured()).toEqual({ before: -byMs, after: 0 })
    expect(steps).toEqual([byMs])
  })

  test('ignores a slow and a failed measurement, and applies the next one', async () => {
    aheadMs = 800
    tripMs = { there: 251, back: 0 }
    expect(await measured()).toEqual({ before: -800, after: -800 })
    tripMs = { there: 0, back: 0 }
    away = new Error('away')
    expect(await measured()).toEqual({ before: -800, after: -800 })
    expect(failures).toEqual([away])
    away = null
    expect(await measured()).toEqual({ before: -800, after: 0 })
  })

  test('nothing is measured once it is stopped', async () => {
    aheadMs = 800
    database.stop()
    expect(await measured()).toEqual({ before: -800, after: -800 })
  })
})
