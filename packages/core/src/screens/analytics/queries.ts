import {
  ANALYTICS_BUILDS_MAX,
  ANALYTICS_FINE_DAYS,
  ANALYTICS_MARKS_MAX,
  type Analytics,
  analyticsDaysMax,
  type AnalyticsSize,
  type AttentionItem,
  type List,
  Refusal,
  type RailHealth,
  type SecondsRange,
  type ZoneName,
  zoneOffsetSec,
} from '@merchant-payments/contract'
import { renderItem } from '../../attention/staff/queries.ts'
import { listAlertsOfRails } from '../../attention/store.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, secondsOf, secondsOrNull } from '../../base/clock.ts'
import { listBuilds } from '../../builds/store.ts'
import type { MerchantId } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { renderPage } from '../../pages/staff/page.ts'
import { BUCKET_MS, FINAL_AFTER_MS } from '../../rollups/buckets.ts'
import {
  type Outcomes,
  readDeclines,
  readFunnel,
  readLastErrors,
  readPoints,
  readRails,
  type Rolled,
} from './store.ts'

const sizes = {
  '5m': { sizeMin: 5, sizeSec: 300 },
  hour: { sizeMin: 60, sizeSec: 3_600 },
  day: { sizeMin: 60, sizeSec: 86_400 },
} as const satisfies Record<AnalyticsSize, unknown>

interface WantedAnalytics {
  readonly size: AnalyticsSize | undefined
  readonly created: SecondsRange | undefined
  readonly zone: ZoneName
  readonly merchantId: MerchantId | null
  readonly rail: string | null
}

/** @throws Refusal invalid_request for too long a time */
export async function getAnalytics(
  { db, clock, rails }: Pick<Deps, 'db' | 'clock' | 'rails'>,
  { size: wanted, created, zone, merchantId, rail }: WantedAnalytics,
): Promise<Analytics> {
  const nowMs = clock()
  const untilMs = Math.min((created?.untilSec ?? Number.POSITIVE_INFINITY) * 1_000, nowMs)
  const isOpen = created === undefined || created.fromSec === 0
  const fromMs = isOpen ? untilMs - DAY_MS : created.fromSec * 1_000
  const size = wanted ?? (untilMs - fromMs > analyticsDaysMax.hour * DAY_MS ? 'day' : 'hour')
  const daysMax = analyticsDaysMax[size]
  if (untilMs - fromMs > daysMax * DAY_MS) {
    throw new Refusal('invalid_request', `must cover at most ${daysMax} days in buckets of ${size}`, {
      param: 'created',
    })
  }
  if (size === '5m' && fromMs < nowMs - ANALYTICS_FINE_DAYS * DAY_MS) {
    throw new Refusal(
      'invalid_request',
      `must begin in the last ${ANALYTICS_FINE_DAYS} days in buckets of ${size}`,
      { param: 'created' },
    )
  }
  const { sizeMin, sizeSec } = sizes[size]
  const countedMs = sizeMin * MINUTE_MS
  const countedFromMs = Math.max(0, Math.floor(fromMs / countedMs) * countedMs)
  // No charge has been opened after now.
  const countedUntilMs = Math.max(0, Math.min(Math.ceil(untilMs / countedMs) * countedMs, nowMs))
  const rolled: Rolled = {
    sizeMin,
    fromMs: countedFromMs,
    // An empty time stays empty.
    untilMs: fromMs < untilMs ? countedUntilMs : countedFromMs,
    merchantId,
    rail,
  }
  const [points, declines, funnel, alerts, builds] = await Promise.all([
    readPoints(db.lists, rolled, { sizeSec, offsetSec: zoneOffsetSec[zone] }),
    readDeclines(db.lists, rolled),
    readFunnel(db.lists, rolled),
    listAlertsOfRails(db.lists, {
      rails: rail === null ? [...rails.keys()] : [rail],
      beforeMs: rolled.untilMs,
      max: ANALYTICS_MARKS_MAX,
    }),
    listBuilds(db.lists, { fromMs: rolled.fromMs, untilMs: rolled.untilMs, max: ANALYTICS_BUILDS_MAX }),
  ])
  return {
    object: 'analytics',
    size,
    from: secondsOf(rolled.fromMs),
    until: secondsOf(rolled.untilMs),
    final_until: secondsOf(nowMs - FINAL_AFTER_MS),
    points: points.map((point) => ({ at: point.key, ...renderOutcomes(point), amount: point.amount })),
    declines,
    funnel,
    marks: alerts
      .filter(({ merchant_id: owner }) => merchantId === null || owner === merchantId)
      .map(renderItem)
      .flatMap(marksOf)
      .filter(({ at }) => at * 1_000 >= rolled.fromMs && at * 1_000 < rolled.untilMs)
      .toSorted((a, b) => a.at - b.at),
    builds: builds.map(({ first_at, ...build }) => ({ at: secondsOf(first_at), ...build })),
  }
}

function marksOf({ id, alert, about, payment_intent, facts, created, resolved_at }: AttentionItem) {
  const mark = { rail: String(facts['rail']), alert, item: id, about, payment_intent }
  const raised = { at: created, state: 'raised' as const, ...mark }
  return resolved_at === null ? [raised] : [raised, { at: resolved_at, state: 'resolved' as const, ...mark }]
}

const msOf = (k: number | null): number | null => (k === null ? null : Math.round(1.1 ** (k + 0.5)))

export const none: Outcomes = {
  opened: 0,
  succeeded: 0,
  failed: 0,
  duplicate: 0,
  waiting: 0,
  amount: 0,
  p50: null,
  p95: null,
}

export const renderOutcomes = ({ opened, succeeded, failed, duplicate, waiting, p50, p95 }: Outcomes) => ({
  opened,
  succeeded,
  failed,
  duplicate,
  waiting,
  p50_ms: msOf(p50),
  p95_ms: msOf(p95),
})

export async function listRailHealth({
  db,
  clock,
  rails,
}: Pick<Deps, 'db' | 'clock' | 'rails'>): Promise<List<RailHealth>> {
  const nowMs = clock()
  const fromMs = Math.floor((nowMs - HOUR_MS) / BUCKET_MS) * BUCKET_MS
  const rolled: Rolled = { sizeMin: 5, fromMs, untilMs: nowMs, merchantId: null, rail: null }
  const [outcomes, errors] = await Promise.all([readRails(db.lists, rolled), readLastErrors(db.lists)])
  const items = [...rails.keys()].map((code): RailHealth => {
    const error = errors.find(({ rail }) => rail === code)
    return {
      id: code,
      object: 'rail_health',
      ...renderOutcomes(outcomes.find(({ key }) => key === code) ?? none),
      last_error:
        error === undefined
          ? null
          : { code: error.rail_code, message: error.rail_message, at: secondsOrNull(error.settled_at) },
    }
  })
  return renderPage('/rail_health', { items, hasMore: false }, (item) => item)
}
