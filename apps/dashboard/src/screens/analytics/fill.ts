import type { Analytics, AnalyticsPoint } from '@merchant-payments/contract'
import { factsOf, type Zone } from '../../zone.ts'

const sizeSec = { '5m': 300, hour: 3_600, day: 86_400 } as const satisfies Record<Analytics['size'], number>

/** Days are sums of hours. */
const countedSec = { '5m': 300, hour: 3_600, day: 3_600 } as const satisfies Record<Analytics['size'], number>

/**
 * The start and the end of what a point counts. The first and the last day of a time need not be whole. The last bucket may
 * go on.
 */
export function boundsOf(
  { size, from, until }: Pick<Analytics, 'size' | 'from' | 'until'>,
  at: number,
): readonly [from: number, until: number] {
  const endOfLast = Math.ceil(until / countedSec[size]) * countedSec[size]
  return [Math.max(at, from), Math.min(at + sizeSec[size], endOfLast)]
}

/** How far the worker's counts are behind at most, so that a bucket without a count has no charge. */
const BEHIND_SEC = 120

/**
 * The points with one of no charges for each bucket that has none. A line between the points beside it would show money
 * in an hour in which nobody paid.
 */
export function filled(
  { points, size, from, until }: Pick<Analytics, 'points' | 'size' | 'from' | 'until'>,
  zone: Zone,
): readonly AnalyticsPoint[] {
  const stepSec = sizeSec[size]
  const { offsetSec } = factsOf(zone)
  const known = new Set(points.map(({ at }) => at))
  const empty: AnalyticsPoint[] = []
  const firstAt = Math.ceil((from + offsetSec) / stepSec) * stepSec - offsetSec
  for (let at = firstAt; at + stepSec + BEHIND_SEC <= until; at += stepSec) {
    if (!known.has(at)) empty.push({ at, ...nothing })
  }
  return [...points, ...empty].toSorted((one, other) => one.at - other.at)
}

const nothing = {
  opened: 0,
  succeeded: 0,
  failed: 0,
  duplicate: 0,
  waiting: 0,
  amount: 0,
  p50_ms: null,
  p95_ms: null,
} as const satisfies Omit<AnalyticsPoint, 'at'>
