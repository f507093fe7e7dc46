import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { mintId } from '../src/base/ids.ts'
import { openReturn } from '../src/charge-returns/store.ts'
import type { Charge } from '../src/charges/charge.ts'
import { AFTER_WATCH_MS, nextQuery } from '../src/charges/ladder.ts'
import { later, noChecks } from '../src/payouts/plan.ts'
import { ACME, declined, makeCharge, makeRefund, makeRefunds, PAYER, T0, unknown } from './make.ts'
import { instructReturns } from './passes.ts'
import { openWorld, saveCharge, savePaid, saveRefund } from './world.ts'

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

test('the page lists the payouts without an answer, and separately those that are watched', async () => {
  const saved = [
    makeRefund('pending', { instruction: 'unsent' }),
    makeRefund('pending', { instruction: 'sent' }),
    makeRefund('pending', { instruction: 'accepted', destination: null }),
    makeRefund('failed', { instruction: 'refused', destination: null }),
  ]
  for (const refund of saved) {
    const { id: intentId } = await savePaid(world)
    await saveRefund(world, { ...refund, intentId }, {})
  }
  const returns = new Map<string, string>()
  const refunds = makeRefunds()
  world.push.refunds = refunds
  world.nowMs = T0 + MINUTE_MS
  returns.set('refused', await openedReturn())
  refunds.whenSent = () => unknown
  await instructReturns(world)
  world.nowMs += 2 * SECOND_MS
  refunds.whenAsked = () => ({ kind: 'failed', decline: declined })
  await instructReturns(world)
  returns.set('sent', await openedReturn())
  await instructReturns(world)
  returns.set('accepted', await openedReturn())
  refunds.whenSent = () => ({ kind: 'accepted' })
  await instructReturns(world)
  returns.set('unsent', await openedReturn())

  const found = async (query: string) => {
    const { rows } = await sql<{ id: string; instruction: string }>`${sql.raw(query)}`.execute(
      world.db.writer,
    )
    return new Set(rows.map(({ id, instruction }) => `${id} ${instruction}`))
  }
  const listed = (...states: string[]) =>
    new Set(
      states.flatMap((state) => [
        ...saved.filter(({ instruction }) => instruction === state).map(({ id }) => `${id} ${state}`),
        `${returns.get(state)} ${state}`,
      ]),
    )
  const [open = '', watched = ''] = queries.filter((query) => query.includes('return_jobs'))
  expect(await found(open)).toEqual(listed('unsent', 'sent'))
  expect(await found(watched)).toEqual(listed('accepted', 'refused'))
})

/** The return of a new duplicate charge. */
async function openedReturn(): Promise<string> {
  const { nowMs } = world
  const { id: intentId } = await savePaid(world)
  const { id: chargeId } = await saveCharge(world, makeCharge('duplicate', { intentId }))
  const id = mintId('rt', nowMs)
  const charge = { merchantId: ACME, chargeId, destination: PAYER }
  const rest = { knownSinceMs: nowMs, requestId: 'req_1', reference: id, submitDeadlineMs: nowMs + 7_000 }
  expect(await openReturn(world.db.writer, { id, charge, ...rest }, nowMs)).toBe('opened')
  return id
}
