import { ANALYTICS_FINE_DAYS } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import { idOf, type MerchantId, mintedAtMs } from '../base/ids.ts'
import { pause } from '../base/pause.ts'
import type { Deps } from '../deps.ts'
import { isOfStatement } from '../base/refused-statements.ts'
import { sweepRows } from '../queue/sweep-rows.ts'
import { HOUR_MS, MINUTE_MS } from '../base/clock.ts'
import { BUCKET_MS, FINAL_AFTER_MS } from './buckets.ts'
import {
  advanceLook,
  ALL_MERCHANTS,
  beginLook,
  findActive,
  findFirstIntent,
  findLook,
  findNextActive,
  findResting,
  holdLook,
  isAnyActive,
  removeFine,
  rollUpBucket,
  rollUpHours,
  rollUpTotals,
  type Scope,
  type Span,
} from './store.ts'

/** Age up to which each run counts again: longer than most payers take to approve. */
const FRESH_MS = 5 * MINUTE_MS
/** docs/spec-gaps.md, analytics: when older buckets are counted again, for what was settled late. */
const looks = [
  { look: 'approved', afterMs: 10 * MINUTE_MS, stepMs: BUCKET_MS },
  { look: 'settled', afterMs: 20 * MINUTE_MS, stepMs: BUCKET_MS },
  { look: 'hour', afterMs: HOUR_MS, stepMs: HOUR_MS },
  { look: 'day', afterMs: 25 * HOUR_MS, stepMs: HOUR_MS },
  // The new name makes this stage start from the beginning: earlier releases did not count by rail.
  { look: 'final_by_rail', afterMs: FINAL_AFTER_MS, stepMs: HOUR_MS },
] as const
/** Length of the ledger that one run counts for each look, after the worker was away or for a rebuild. */
const LOOKED_MAX_MS = 6 * HOUR_MS
/** Time after which a run leaves the rest of the past to the next one. A worker that stops waits for the end of a run. */
const RUN_MAX_MS = 10_000
/** Whole hours are removed, because an hour is the sum of its buckets of five minutes. */
const FINE_MS = ANALYTICS_FINE_DAYS * 24 * HOUR_MS
const PAUSE_MAX_MS = 2_000

type RollUpDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

interface RollUpReport {
  readonly buckets: number
  readonly full: boolean
}

/**
 * Counts new charges and payments, and again those of 10 and 20 minutes, an hour, a day and two days ago. Touches no row
 * of the ledger. Statements count a bucket for all merchants, so that their number is the same however many merchants
 * there are.
 */
export async function rollUp(deps: RollUpDeps): Promise<RollUpReport> {
  const nowMs = deps.clock()
  const end = Math.ceil(nowMs / BUCKET_MS) * BUCKET_MS
  let buckets = await countSpan(deps, {
    fromMs: Math.floor((nowMs - FRESH_MS) / BUCKET_MS) * BUCKET_MS,
    untilMs: end,
  })
  let full = false
  for (const look of looks) {
    const looked = await lookAgain(deps, look, nowMs)
    buckets += looked.buckets
    full ||= looked.full
  }
  await removeFine(deps.db.writer, {
    beforeMs: Math.floor((nowMs - FINE_MS) / HOUR_MS) * HOUR_MS,
    looks: looks.map(({ look }) => look),
  })
  return { buckets, full }
}

/** Another worker has moved the look on. It counts the rest. */
class LookLost extends Error {}

/** Counts what this look has not counted yet, from one hour or five minutes with a payment to the next. */
async function lookAgain(
  deps: RollUpDeps,
  { look, afterMs, stepMs }: (typeof looks)[number],
  nowMs: number,
): Promise<RollUpReport> {
  const { db } = deps
  const untilMs = Math.floor((nowMs - afterMs) / stepMs) * stepMs
  // The look of each hour rebuilds what is older.
  const startMs = stepMs === HOUR_MS ? await findStart(deps) : untilMs - HOUR_MS
  let atMs = (await findLook(db.reader, look)) ?? (await beginLook(db.writer, look, startMs ?? untilMs))
  let buckets = 0
  for (let countedMs = 0; atMs < untilMs; countedMs += stepMs) {
    if (countedMs === LOOKED_MAX_MS || deps.clock() - nowMs > RUN_MAX_MS) return { buckets, full: true }
    const activeMs = await findNextActive(db.lists, { fromMs: atMs, untilMs })
    const fromMs = activeMs === null ? untilMs : Math.floor(activeMs / stepMs) * stepMs
    const nextMs = Math.min(fromMs + stepMs, untilMs)
    const beganMs = deps.clock()
    try {
      const hold = (tx: Tx) => orLost(holdLook(tx, look, atMs))
      if (fromMs < untilMs) buckets += await countSpan(deps, { fromMs, untilMs: nextMs }, hold)
      await db.transact((tx) => orLost(advanceLook(tx, look, { fromMs: atMs, untilMs: nextMs })))
    } catch (error) {
      if (error instanceof LookLost) break
      throw error
    }
    atMs = nextMs
    // A rebuild must not keep a connection, a core and the disk busy without a break.
    await pause(Math.min(deps.clock() - beganMs, PAUSE_MAX_MS))
  }
  return { buckets, full: false }
}

async function orLost(held: Promise<boolean>): Promise<void> {
  if (!(await held)) throw new LookLost()
}

async function findStart({ db }: RollUpDeps): Promise<number | null> {
  const first = await findFirstIntent(db.lists)
  return first === null ? null : Math.floor(mintedAtMs(idOf('pi', first)) / HOUR_MS) * HOUR_MS
}

/**
 * A statement reads five minutes of the ledger at most.
 *
 * @param hold keeps the buckets of five minutes of old hours from being removed until the transaction ends
 * @returns how many buckets were counted
 */
async function countSpan(
  deps: RollUpDeps,
  span: Span,
  hold: (tx: Tx) => Promise<void> = async () => {},
): Promise<number> {
  let buckets = 0
  if (!(await isAnyActive(deps.db.lists, span))) return buckets
  for (let atMs = span.fromMs; atMs < span.untilMs; atMs += BUCKET_MS) {
    const bucket = { fromMs: atMs, untilMs: atMs + BUCKET_MS }
    if (!(await isAnyActive(deps.db.lists, bucket))) continue
    await ofMerchants(deps, bucket, (tx, scope) => rollUpBucket(tx, bucket, scope))
    buckets += 1
  }
  await ofMerchants(deps, span, async (tx, scope) => {
    await hold(tx)
    await rollUpHours(tx, span, scope)
  })
  await deps.db.transact(async (tx) => {
    await hold(tx)
    await rollUpTotals(tx, span)
    await rollUpHours(tx, span, { only: ALL_MERCHANTS })
  })
  return buckets
}

/** Counts for all merchants at once or, if PostgreSQL refuses that, for each that was active in the time. */
async function ofMerchants(
  deps: RollUpDeps,
  span: Span,
  count: (tx: Tx, scope: Scope) => Promise<void>,
): Promise<void> {
  const { db, clock } = deps
  const except = await findResting(db.reader, clock())
  try {
    await db.transact((tx) => count(tx, { except }))
  } catch (error) {
    if (!isOfStatement(error)) throw error
    const active = await findActive(db.lists, span)
    await countEach(
      deps,
      active.filter((merchant) => !except.includes(merchant)),
      count,
    )
  }
}

/** Each merchant in a transaction of its own, so that one that PostgreSQL refuses delays no other. */
const countEach = (
  deps: RollUpDeps,
  merchants: readonly MerchantId[],
  count: (tx: Tx, scope: Scope) => Promise<void>,
): Promise<number> =>
  sweepRows(deps, merchants, {
    sweep: 'roll-up',
    write: async (some, { transact }) => {
      for (const only of some) await transact((tx) => count(tx, { only }))
      return some.length
    },
    keyOf: (merchant) => merchant,
    idOf: () => null,
  })
