import {
  type Deps,
  fanOut,
  type FanoutEvent,
  findDueFanouts,
  mintedAtMs,
  postponeFanouts,
  recordFanoutFailure,
  runBatch,
} from '@merchant-payments/core'
import type { Endpoints } from '../webhooks/endpoints.ts'
import type { PassReport } from './pass.ts'
import { reasonOf } from './reason-of.ts'

/** Events of one pass: a batch of this size costs a fiftieth of as many statements. */
const FANOUT_BATCH_MAX = 500
/** How long the events of a merchant who is not in this worker's configuration wait for a worker that has it. */
const UNKNOWN_MERCHANT_WAIT_MS = 60 * 60_000
const UNKNOWN_MERCHANT_RETRY_MS = 15_000

export interface FanoutDeps extends Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'> {
  readonly endpoints: Endpoints
}

export interface FanoutReport extends PassReport {
  readonly found: number
  readonly done: number
}

/** Spec 6.3.1: turns each pending event into one delivery and one job per endpoint. */
export async function fanOutEvents(deps: FanoutDeps): Promise<FanoutReport> {
  const { db, clock, fault, endpoints } = deps
  const due = await findDueFanouts(db.reader, clock(), FANOUT_BATCH_MAX)
  const { ours, unknown } = Object.groupBy(due, (event) => (isOurs(deps, event) ? 'ours' : 'unknown'))
  if (unknown !== undefined) await postponeFanouts(db.writer, unknown, clock() + UNKNOWN_MERCHANT_RETRY_MS)
  if (ours === undefined) return { found: due.length, done: 0, full: false }
  fault('fanout.claimed')
  let done = 0
  await runBatch<FanoutEvent, void>(ours, {
    write: async (some) => {
      done += await fanOut(db.writer, some, (merchantId) => endpoints.idsOf(merchantId), clock())
      return some.map(() => undefined)
    },
    onRefused: (event, error) => countFailure(deps, event, error),
  })
  fault('fanout.committed')
  return { found: due.length, done, full: due.length === FANOUT_BATCH_MAX && done > 0 }
}

/**
 * While a new merchant is rolled out, a worker that was not restarted yet leaves the merchant's events to one that was.
 * A merchant whom no worker knows any more has no endpoint, so that its events are done.
 */
const isOurs = ({ endpoints, clock }: FanoutDeps, { merchantId, id }: FanoutEvent): boolean =>
  endpoints.knows(merchantId) || clock() - mintedAtMs(id) > UNKNOWN_MERCHANT_WAIT_MS

/** Spec 3.4: the fifth failing pass ends the event, with one alert line. */
async function countFailure(
  { db, clock, alert }: FanoutDeps,
  event: FanoutEvent,
  error: unknown,
): Promise<void> {
  const ended = await recordFanoutFailure(db.writer, event, clock())
  if (ended) alert('fanout_failed', { event: event.id, merchant: event.merchantId, reason: reasonOf(error) })
}
