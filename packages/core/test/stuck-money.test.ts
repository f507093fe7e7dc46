import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { Charge } from '../src/charges/charge.ts'
import { AFTER_WATCH_MS, nextQuery } from '../src/charges/ladder.ts'
import { later, noChecks } from '../src/payouts/plan.ts'
import { makeCharge, T0 } from './make.ts'
import { openWorld } from './world.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const page = await readFile(new URL('../../../docs/stuck-money.md', import.meta.url), 'utf8')

const world = await openWorld()
afterAll(() => world.stop())

const queries = [...page.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, text = '']) => text)

test.each(queries)('a query of the page runs: %s', async (query) => {
  await expect(sql.raw(query).execute(world.owner.writer)).resolves.toBeDefined()
})

test('the page has the ladder of a charge', () => {
  const WINDOW_MS = 5 * MINUTE_MS
  let charge: Charge = makeCharge('live', { openedAtMs: T0, queryRung: 0, lastQueryAtMs: null })
  const gaps: { readonly beyondMs: number; readonly gapMs: number; readonly stuck: boolean }[] = []
  for (let nowMs = T0; gaps.at(-1)?.stuck !== true; ) {
    const { nextQueryAtMs, queryRung, stuck } = nextQuery(charge, WINDOW_MS, nowMs, 'open')
    const nextMs = nextQueryAtMs ?? Number.NaN
    gaps.push({ beyondMs: nowMs - T0 - WINDOW_MS, gapMs: nextMs - nowMs, stuck })
    charge = { ...charge, queryRung, lastQueryAtMs: nowMs }
    nowMs = nextMs
  }
  expect(gaps.slice(0, 6).map(({ gapMs }) => gapMs / SECOND_MS)).toEqual([2, 3, 5, 8, 13, 20])
  const gapAt = (beyondMs: number) => gaps.filter((gap) => gap.beyondMs < beyondMs).at(-1)?.gapMs
  expect([MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS].map(gapAt)).toEqual([
    30 * SECOND_MS,
    MINUTE_MS,
    5 * MINUTE_MS,
    HOUR_MS,
    DAY_MS,
  ])
  expect(gaps.at(-1)?.gapMs).toBe(7 * DAY_MS)
  expect(AFTER_WATCH_MS).toBe(48 * HOUR_MS)
  for (const line of [
    'with gaps of 2, 3, 5, 8, 13 and 20 seconds',
    'a minute beyond | every 30 seconds',
    'up to 15 minutes beyond the window | every minute',
    'up to an hour beyond | every 5 minutes',
    'up to a day beyond | every hour',
    'up to 7 days beyond | every day',
    'older | every week, for ever',
    'for 48 hours more, hourly in the end',
    'and then as long as its rail does not say that it is closed, hourly for a day, daily for a week and weekly for ever',
  ]) {
    expect(page.replaceAll(/\s+/g, ' ')).toContain(line)
  }
})

test('the page has the ladder of a refund', () => {
  const gapsMs: number[] = []
  let checks = noChecks
  for (let nowMs = T0; gapsMs.length < 8; ) {
    const { job } = later(checks, nowMs)
    checks = job
    gapsMs.push(job.dueAtMs - nowMs)
    nowMs = job.dueAtMs
  }
  const minutes = [1, 5, 15, 60, 60].map((count) => count * MINUTE_MS)
  expect(gapsMs).toEqual([2 * SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, ...minutes])
  expect(page.replaceAll(/\s+/g, ' ')).toContain(
    'gaps of 2, 5 and 15 seconds, of 1, 5 and 15 minutes, and then of an hour, for ever',
  )
})
