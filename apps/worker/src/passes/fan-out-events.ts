import {
  claimFanout,
  type Deps,
  fanOut,
  type FanoutEvent,
  LEASE_MS,
  recordFanoutFailure,
} from '@merchant-payments/core'
import type { Endpoints } from '../webhooks/endpoints.ts'
import type { PassReport } from './pass.ts'
import { reasonOf } from './reason-of.ts'
import { writeIsolated } from './write-isolated.ts'

/** Events of one pass: a batch of this size costs a fiftieth of as many statements. */
const FANOUT_BATCH_MAX = 500

export interface FanoutDeps extends Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'> {
  readonly endpoints: Endpoints
}

export interface FanoutReport extends PassReport {
  readonly claimed: number
  readonly done: number
}

/** Spec 6.3.1: turns each pending event into one delivery and one job per endpoint. */
export async function fanOutEvents(deps: FanoutDeps): Promise<FanoutReport> {
  const { db, clock, fault, endpoints } = deps
  const nowMs = clock()
  const leaseUntilMs = nowMs + LEASE_MS
  const events = await claimFanout(db.writer, { nowMs, limit: FANOUT_BATCH_MAX, leaseUntilMs })
  if (events.length === 0) return { claimed: 0, done: 0, full: false }
  fault('fanout.claimed')
  let done = 0
  await writeIsolated(
    events,
    async (some) => {
      done += await fanOut(
        db.writer,
        some,
        (merchantId) => endpoints.idsOf(merchantId),
        leaseUntilMs,
        clock(),
      )
    },
    (event, error) => countFailure(deps, event, leaseUntilMs, error),
  )
  fault('fanout.committed')
  return { claimed: events.length, done, full: events.length === FANOUT_BATCH_MAX }
}

/** Spec 3.4: the fifth failing pass ends the event, with one alert line. */
async function countFailure(
  { db, clock, alert }: FanoutDeps,
  event: FanoutEvent,
  leaseUntilMs: number,
  error: unknown,
): Promise<void> {
  const ended = await recordFanoutFailure(db.writer, [event], leaseUntilMs, clock())
  for (const id of ended)
    alert('fanout_failed', { event: id, merchant: event.merchantId, reason: reasonOf(error) })
}
