import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock.ts'
import type { Charge } from './charge.ts'

const quickRungsMs = [2, 3, 5, 8, 13, 20].map((seconds) => seconds * SECOND_MS)

/** Intervals after the quick rungs, by the time since the rail's approval window ended. */
const slowRungs = [
  { untilMs: MINUTE_MS, everyMs: 30 * SECOND_MS },
  { untilMs: 15 * MINUTE_MS, everyMs: MINUTE_MS },
  { untilMs: HOUR_MS, everyMs: 5 * MINUTE_MS },
  { untilMs: DAY_MS, everyMs: HOUR_MS },
  { untilMs: 7 * DAY_MS, everyMs: DAY_MS },
] as const

/** Only an answer changes the state of a charge past the ladder. */
const STUCK_EVERY_MS = 7 * DAY_MS
const slowEveryMs = (ageMs: number) => slowRungs[slowRungOf(ageMs)]?.everyMs ?? STUCK_EVERY_MS

/** How long, at least, a failed or abandoned charge is watched for a late success (spec 1.5). */
export const AFTER_WATCH_MS = 48 * HOUR_MS
/** Together less than the half hour that merchants are told to wait after a refusal (`tooManyAttempts`). */
const watchRungsMs = [
  10 * SECOND_MS,
  20 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
]
const WATCH_EVERY_MS = HOUR_MS

/**
 * A charge fails as not found only after this many not-found answers, and only this long after the submit's deadline.
 */
export const NOT_FOUND_ANSWERS_MIN = 3
export const NOT_FOUND_SPAN_MS = 2 * MINUTE_MS

export const QUERY_INTERVAL_MIN_MS = 2 * SECOND_MS

const WATCHED_RUNG = watchRungsMs.length
const OVERDUE_RUNG = WATCHED_RUNG + 1

export const watchFrom = (nowMs: number) => ({
  nextQueryAtMs: nowMs + (watchRungsMs[0] ?? WATCH_EVERY_MS),
  queryRung: 1,
})

export interface NextQuery {
  readonly nextQueryAtMs: number | null
  readonly queryRung: number
  readonly stuck: boolean
  /** True on the first query of each slower rung. Anomalies of the charge are reported then. */
  readonly slowing: boolean
}

/** A charge that failed or was abandoned. `open`: the payer can still pay it at the rail. `closed`: the rail has ended it. */
export type AtRail = 'open' | 'closed'

/** Expects `charge.lastQueryAtMs` as it was before the query that was just answered. */
export function nextQuery(
  charge: Charge,
  approvalWindowMs: number,
  nowMs: number,
  atRail: AtRail,
): NextQuery {
  return isEnded(charge) ? nextWatch(charge, nowMs, atRail) : nextPoll(charge, approvalWindowMs, nowMs)
}

export const isEnded = (
  charge: Pick<Charge, 'status'>,
): charge is { readonly status: 'failed' | 'abandoned' } =>
  charge.status === 'failed' || charge.status === 'abandoned'

export const waitsForRuling = ({ report }: Pick<Charge, 'report'>): boolean =>
  report !== null && !report.isRuled

function nextPoll(charge: Charge, approvalWindowMs: number, nowMs: number): NextQuery {
  const rung = charge.queryRung
  const slowRungAt = (atMs: number) => slowRungOf(atMs - charge.openedAtMs - approvalWindowMs)
  const slowRung = slowRungAt(nowMs)
  const slowing = slowRung > slowRungAt(charge.lastQueryAtMs ?? charge.openedAtMs)
  const quickMs = quickRungsMs[rung]
  if (quickMs !== undefined)
    return { nextQueryAtMs: nowMs + quickMs, queryRung: rung + 1, stuck: false, slowing }
  const everyMs = slowEveryMs(nowMs - charge.openedAtMs - approvalWindowMs)
  return { nextQueryAtMs: nowMs + everyMs, queryRung: rung, stuck: slowRung === slowRungs.length, slowing }
}

function slowRungOf(ageMs: number): number {
  const rung = slowRungs.findIndex(({ untilMs }) => ageMs < untilMs)
  return rung === -1 ? slowRungs.length : rung
}

/**
 * The last regular query is exactly at the end of the watch. Later ones continue until the rail closes the charge
 * and no report of another amount awaits a ruling. A watch that restarts goes through all rungs first.
 */
function nextWatch(charge: Charge, nowMs: number, atRail: AtRail): NextQuery {
  const rung = charge.queryRung
  const rungMs = watchRungsMs[rung]
  const endMs = (charge.settledAtMs ?? charge.openedAtMs) + AFTER_WATCH_MS
  const climbed = { queryRung: Math.min(rung + 1, WATCHED_RUNG), stuck: false, slowing: false }
  if (nowMs < endMs) return { ...climbed, nextQueryAtMs: Math.min(nowMs + (rungMs ?? WATCH_EVERY_MS), endMs) }
  if (rungMs !== undefined) return { ...climbed, nextQueryAtMs: nowMs + rungMs }
  const isClosed = atRail === 'closed'
  if (isClosed && !waitsForRuling(charge)) return { ...climbed, nextQueryAtMs: null }
  // Counts days and not queries, because a callback can add a query at any time.
  const daysAt = (atMs: number) => Math.floor((atMs - endMs) / DAY_MS)
  const isLater = daysAt(nowMs) > daysAt(charge.lastQueryAtMs ?? nowMs)
  const stuck = !isClosed && (rung < OVERDUE_RUNG || isLater)
  return {
    nextQueryAtMs: nowMs + Math.max(WATCH_EVERY_MS, slowEveryMs(nowMs - endMs)),
    queryRung: stuck ? OVERDUE_RUNG : rung,
    stuck,
    slowing: false,
  }
}
