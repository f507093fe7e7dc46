import {
  type Deps,
  failUnknownFanouts,
  fanOut,
  type FanoutEvent,
  findDueFanouts,
  type Floors,
  HOUR_MS,
  isOfWaiting,
  leaveFanoutsToOthers,
  postponeFanout,
  raisedOf,
  reasonOf,
  recordFanoutFailure,
  runBatch,
} from '@merchant-payments/core'
import type { Writer } from '@merchant-payments/db'
import type { Endpoints } from '../webhooks/endpoints.ts'
import type { PassReport } from './pass.ts'

/** Events per pass. Batches of this size take a fiftieth of the statements. */
const FANOUT_BATCH_MAX = 500
/**
 * How long events of an unknown merchant wait for a worker that knows it, from when a worker without it first saw
 * them.
 */
const UNKNOWN_MERCHANT_WAIT_MS = HOUR_MS
const UNKNOWN_MERCHANT_RETRY_MS = 15_000

export interface FanoutDeps extends Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'> {
  readonly endpoints: Endpoints
  /** Default: read for each pass */
  readonly floors?: Floors
}

export interface FanoutReport extends PassReport {
  readonly found: number
  readonly done: number
}

/**
 * Spec 6.3.1: turns each pending event into one delivery and one job per endpoint.
 *
 * @throws the lock error if no event could be written
 */
export async function fanOutEvents(deps: FanoutDeps): Promise<FanoutReport> {
  const { db, clock, fault, endpoints, floors } = deps
  const due = await findDueFanouts(db.reader, clock(), FANOUT_BATCH_MAX, floors)
  const { ours, unknown } = Object.groupBy(due, (event) =>
    endpoints.knows(event.merchantId) ? 'ours' : 'unknown',
  )
  if (unknown !== undefined) await leaveToOthers(deps, unknown)
  if (ours === undefined) return { found: due.length, done: 0, full: false }
  fault('fanout.claimed')
  let held: unknown = null
  const counts = await runBatch(ours, {
    db,
    write: async (some, { writer }) => [
      await fanOut(writer, some, (merchantId) => endpoints.idsOf(merchantId), clock()),
    ],
    ofRefused: () => 0,
    recordRefusal: async (event, error, { writer }) => {
      if (!isOfWaiting(error)) return countFailure(deps, writer, event, error)
      held = error
      return postponeFanout(writer, event, clock())
    },
  })
  fault('fanout.committed')
  const done = counts.reduce((sum, count) => sum + count, 0)
  if (done === 0 && held !== null) throw held
  return { found: due.length, done, full: due.length === FANOUT_BATCH_MAX && done > 0 }
}

/**
 * During the rollout of a new merchant, a worker with the old configuration leaves the merchant's events to a
 * restarted one. After an hour without any worker that knows the merchant, their fan-out fails, with an alert each.
 */
async function leaveToOthers(
  { db, clock, alert }: FanoutDeps,
  events: readonly FanoutEvent[],
): Promise<void> {
  const nowMs = clock()
  const { waiting = [], over = [] } = Object.groupBy(events, ({ missingSinceMs }) =>
    missingSinceMs !== null && nowMs - missingSinceMs >= UNKNOWN_MERCHANT_WAIT_MS ? 'over' : 'waiting',
  )
  if (waiting.length > 0)
    await leaveFanoutsToOthers(db.writer, waiting, nowMs + UNKNOWN_MERCHANT_RETRY_MS, nowMs)
  if (over.length === 0) return
  const ends = over.map(({ id, merchantId }) =>
    raisedOf('fanout_failed', { event: id, merchant: merchantId, reason: 'merchant_unknown' }, merchantId),
  )
  const failed = await failUnknownFanouts(db.writer, over, ends, nowMs)
  for (const { alert: name, object, facts } of ends) if (failed.has(object)) alert(name, facts)
}

/** Spec 3.4: the fifth failing pass ends the event and writes one alert line. */
async function countFailure(
  { clock, alert }: FanoutDeps,
  writer: Writer,
  event: FanoutEvent,
  error: unknown,
): Promise<void> {
  const facts = { event: event.id, merchant: event.merchantId, reason: reasonOf(error) }
  const ifEnds = raisedOf('fanout_failed', facts, event.merchantId)
  const ended = await recordFanoutFailure(writer, event, clock(), ifEnds)
  if (ended) alert(ifEnds.alert, ifEnds.facts)
}
