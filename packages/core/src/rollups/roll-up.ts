import { findNextMerchant } from '../base/tenants/store.ts'
import { idOf, type MerchantId, mintedAtMs } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { sweepRows } from '../queue/sweep-rows.ts'
import { BUCKET_MS, FINAL_AFTER_MS, HOUR_MS } from './buckets.ts'
import {
  findFirstIntent,
  findLook,
  isActive,
  isResting,
  rollUpBuckets,
  rollUpHours,
  saveLook,
  type Span,
} from './store.ts'

/** Age up to which each run counts anew: longer than any rail's approval window. */
const FRESH_MS = 20 * 60_000
/** docs/spec-gaps.md, analytics: when older buckets are counted again, for what was settled late. */
const looks = [
  { look: 'hour', afterMs: HOUR_MS },
  { look: 'day', afterMs: 25 * HOUR_MS },
  { look: 'final', afterMs: FINAL_AFTER_MS },
] as const
/** Hours of the ledger that one run counts for each look, after the worker was away or for a rebuild. */
const HOURS_MAX = 6

type RollUpDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

export interface RollUpReport {
  readonly spans: number
  /** More of the past is left to count. */
  readonly full: boolean
}

/** Counts new charges and payments, and again those of an hour, a day and two days ago. Touches no row of the ledger. */
export async function rollUp(deps: RollUpDeps): Promise<RollUpReport> {
  const nowMs = deps.clock()
  const merchants = await listMerchants(deps)
  const end = Math.ceil(nowMs / BUCKET_MS) * BUCKET_MS
  const fresh = { fromMs: Math.floor((nowMs - FRESH_MS) / BUCKET_MS) * BUCKET_MS, untilMs: end }
  let spans = await countSpan(deps, merchants, fresh)
  let full = false
  for (const { look, afterMs } of looks) {
    const untilMs = Math.floor((nowMs - afterMs) / HOUR_MS) * HOUR_MS
    let atMs = (await findLook(deps.db.reader, look)) ?? (await findStart(deps, merchants)) ?? untilMs
    for (let hours = 0; atMs < untilMs && hours < HOURS_MAX; hours += 1) {
      const nextMs = atMs + HOUR_MS
      spans += await countSpan(deps, merchants, { fromMs: atMs, untilMs: nextMs })
      await deps.db.transact((tx) => saveLook(tx, look, nextMs))
      atMs = nextMs
    }
    full ||= atMs < untilMs
  }
  return { spans, full }
}

async function listMerchants({ db }: RollUpDeps): Promise<MerchantId[]> {
  const merchants: MerchantId[] = []
  for (
    let merchantId = await findNextMerchant(db.lists, 'payment_intents', null);
    merchantId !== null;
    merchantId = await findNextMerchant(db.lists, 'payment_intents', merchantId)
  ) {
    merchants.push(merchantId)
  }
  return merchants
}

/** The hour of the oldest payment. */
async function findStart({ db }: RollUpDeps, merchants: readonly MerchantId[]): Promise<number | null> {
  let startMs: number | null = null
  for (const merchantId of merchants) {
    const first = await findFirstIntent(db.lists, merchantId)
    if (first === null) continue
    const firstMs = mintedAtMs(idOf('pi', first))
    startMs = Math.min(startMs ?? firstMs, firstMs)
  }
  return startMs === null ? null : Math.floor(startMs / HOUR_MS) * HOUR_MS
}

/** Each merchant in a transaction of its own, so that one that PostgreSQL refuses delays no other. */
async function countSpan(
  deps: RollUpDeps,
  merchants: readonly MerchantId[],
  { fromMs, untilMs }: Omit<Span, 'merchantId'>,
): Promise<number> {
  const { db, clock } = deps
  const spans: Span[] = []
  for (const merchantId of merchants) {
    const span = { merchantId, fromMs, untilMs }
    const isDue = (await isActive(db.lists, span)) && !(await isResting(db.lists, merchantId, clock()))
    if (isDue) spans.push(span)
  }
  return sweepRows(deps, spans, {
    sweep: 'roll-up',
    write: async (some) => {
      for (const span of some) {
        await db.transact(async (tx) => {
          await rollUpBuckets(tx, span)
          await rollUpHours(tx, span)
        })
      }
      return some.length
    },
    keyOf: ({ merchantId }) => merchantId,
    idOf: () => null,
  })
}
