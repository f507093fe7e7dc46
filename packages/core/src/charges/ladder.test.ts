import { describe, expect, test } from 'vitest'
import { makeCharge, T0 } from '../../test/make.ts'
import type { Charge } from './charge.ts'
import { AFTER_WATCH_MS, type AtRail, nextQuery, watchFrom } from './ladder.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

interface Step {
  readonly atMs: number
  readonly gapSec: number
  readonly stuck: boolean
  readonly slowing: boolean
}

/** Queries each time exactly when due, until `untilMs` or until there is no next query. */
function climb(
  charge: Charge,
  fromMs: number,
  approvalWindowMs: number,
  untilMs: number,
  atRail: AtRail = 'open',
): Step[] {
  const steps: Step[] = []
  let asked = charge
  for (let atMs = fromMs; atMs <= untilMs; ) {
    const { nextQueryAtMs, queryRung, stuck, slowing } = nextQuery(asked, approvalWindowMs, atMs, atRail)
    if (nextQueryAtMs === null) break
    steps.push({ atMs: atMs - T0, gapSec: (nextQueryAtMs - atMs) / 1000, stuck, slowing })
    asked = { ...asked, queryRung, lastQueryAtMs: atMs }
    atMs = nextQueryAtMs
  }
  return steps
}

/** Equal gaps in a row, as [seconds, count]. */
function runs(steps: readonly Step[]): [number, number][] {
  const found: [number, number][] = []
  for (const { gapSec } of steps) {
    const last = found.at(-1)
    if (last?.[0] === gapSec) last[1] += 1
    else found.push([gapSec, 1])
  }
  return found
}

describe('a live charge', () => {
  const windowMs = 5 * MINUTE_MS
  const steps = climb(makeCharge('live'), T0 + 3_000, windowMs, T0 + 30 * DAY_MS)

  test('is asked for quickly, then by its age beyond the approval window, then weekly for ever', () => {
    expect(runs(steps)).toEqual([
      [2, 1],
      [3, 1],
      [5, 1],
      [8, 1],
      [13, 1],
      [20, 1],
      // Until a minute after the window's end.
      [30, 11],
      // Until fifteen minutes, an hour, a day and seven days after the window's end.
      [60, 14],
      [300, 9],
      [3_600, 23],
      [86_400, 6],
      [604_800, 4],
    ])
  })

  test('is reported as stuck by each query from seven days after the window on', () => {
    const stuck = steps.filter((step) => step.stuck)
    expect(stuck).toHaveLength(4)
    expect(stuck[0]?.atMs).toBeGreaterThanOrEqual(windowMs + 7 * DAY_MS)
    expect(steps.filter((step) => !step.stuck).every(({ atMs }) => atMs < windowMs + 7 * DAY_MS)).toBe(true)
  })

  test('sets `slowing` on the first query of each slower rung only', () => {
    const slowing = steps.filter((step) => step.slowing)
    expect(slowing.map(({ gapSec }) => gapSec)).toEqual([60, 300, 3_600, 86_400, 604_800])
  })

  test('does not set `slowing` again for a query that a callback brings forward', () => {
    const asked = makeCharge('live', { queryRung: 6, lastQueryAtMs: T0 + 10 * MINUTE_MS })
    expect(nextQuery(asked, windowMs, T0 + 10 * MINUTE_MS + 2_000, 'open').slowing).toBe(false)
  })

  test('of a slower rail keeps the middle rate for longer', () => {
    const slow = climb(makeCharge('live'), T0 + 3_000, 20 * MINUTE_MS, T0 + 20 * MINUTE_MS)
    expect(runs(slow).at(-1)).toEqual([30, 39])
  })
})

describe.each(['submitting', 'unconfirmed'] as const)('a charge that is %s', (status) => {
  test('has the same quick rungs as a live charge', () => {
    const steps = climb(makeCharge(status), T0 + 8_000, 5 * MINUTE_MS, T0 + MINUTE_MS)
    expect(steps.map(({ gapSec }) => gapSec)).toEqual([2, 3, 5, 8, 13, 20, 30])
  })
})

describe.each(['failed', 'abandoned'] as const)('a charge that %s', (status) => {
  const { nextQueryAtMs, queryRung } = watchFrom(T0)
  const watched = (atRail: AtRail, fields: Partial<Charge> = {}) =>
    climb(
      makeCharge(status, { queryRung, ...fields }),
      nextQueryAtMs,
      5 * MINUTE_MS,
      T0 + 30 * DAY_MS,
      atRail,
    )
  const watch: [number, number][] = [
    [20, 1],
    [30, 1],
    [60, 1],
    [120, 1],
    [300, 1],
    [900, 1],
    [3_600, 47],
    // The last query is at the very end.
    [2_160, 1],
  ]

  test('is first watched after ten seconds', () => {
    expect({ nextQueryAtMs, queryRung }).toEqual({ nextQueryAtMs: T0 + 10_000, queryRung: 1 })
  })

  test('is watched ever more slowly, for 48 hours to the second and no longer if its rail closes it', () => {
    const steps = watched('closed')
    expect(runs(steps)).toEqual(watch)
    const last = steps.at(-1)
    expect((last?.atMs ?? 0) + (last?.gapSec ?? 0) * 1_000).toBe(AFTER_WATCH_MS)
    expect(steps.some(({ stuck, slowing }) => stuck || slowing)).toBe(false)
  })

  test('is queried once more between 15 minutes, by when late successes have come, and the 30 that merchants wait', () => {
    const minutes = watched('closed').map(({ atMs }) => atMs / MINUTE_MS)
    expect(minutes.filter((minute) => minute > 15 && minute < 30)).toHaveLength(1)
  })

  test('is watched hourly for a day more, then daily and weekly for ever, if its rail does not', () => {
    const steps = watched('open')
    expect(runs(steps)).toEqual([...watch, [3_600, 24], [86_400, 6], [604_800, 4]])
    const stuck = steps.filter((step) => step.stuck).map(({ atMs }) => (atMs - AFTER_WATCH_MS) / DAY_MS)
    expect(stuck).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 14, 21, 28])
  })

  test('is watched like an open charge while a report of another amount awaits a ruling, without an alert', () => {
    const report = { amountMinor: 999, currency: null, isRuled: false }
    const steps = watched('closed', { report })
    expect(runs(steps)).toEqual(runs(watched('open')))
    expect(steps.some(({ stuck }) => stuck)).toBe(false)
    expect(runs(watched('closed', { report: { ...report, isRuled: true } }))).toEqual(watch)
  })

  test('whose watch restarts goes through all rungs again, and then ends', () => {
    const late = makeCharge(status, { queryRung: 0 })
    const steps = climb(late, T0 + 10 * DAY_MS, 5 * MINUTE_MS, T0 + 30 * DAY_MS, 'closed')
    expect(steps.map(({ gapSec }) => gapSec)).toEqual([10, 20, 30, 60, 120, 300, 900])
  })
})
