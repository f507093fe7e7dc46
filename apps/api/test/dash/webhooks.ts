import {
  type Attempt,
  claimDeliveries,
  fanOut,
  FANOUT_FAILURES_MAX,
  findDueFanouts,
  finishAttempts,
  JOB_THROWS_MAX,
  LEASE_MS,
  recordFanoutFailure,
  raisedOf,
  recordJobThrow,
} from '@merchant-payments/core'
import type { TestApi } from '../harness.ts'

const CLAIMED_MAX = 500

const orderOf = ({ clock }: TestApi) => {
  const nowMs = clock()
  return { nowMs, limit: CLAIMED_MAX, leaseUntilMs: nowMs + LEASE_MS }
}

/** Fans every waiting event out to the endpoint `main`. */
export async function fanOutToMain(api: TestApi): Promise<void> {
  const nowMs = api.clock()
  const events = await findDueFanouts(api.db.reader, nowMs, CLAIMED_MAX)
  await fanOut(api.db.writer, events, () => ['main'], nowMs)
}

/** Attempts each due delivery once, with this result. A refused one is not tried again. */
export async function attempt(
  api: TestApi,
  result: Attempt['result'],
  responseExcerpt: string | null = null,
): Promise<void> {
  const order = orderOf(api)
  const jobs = await claimDeliveries(api.db.writer, order, [], { behind: null })
  const statusCode = { succeeded: 200, failed: 500, refused: null }[result]
  const error = result === 'refused' ? 'guarded' : null
  const attempts = jobs.map((job) => ({
    job,
    startedAtMs: order.nowMs,
    durationMs: 12,
    statusCode,
    error,
    responseExcerpt,
    result,
  }))
  await finishAttempts(api.db.writer, attempts, order.leaseUntilMs, order.nowMs, ({ job }) =>
    raisedOf('webhook_exhausted', { delivery: job.deliveryId, merchant: job.merchantId }, job.merchantId),
  )
}

/** Throws in the delivery's job until the job rests, as a fault of the service does. */
export async function deadLetter(api: TestApi, delivery: string): Promise<void> {
  for (let throws = 0; throws < JOB_THROWS_MAX; throws += 1) {
    api.advance(2 * 60_000)
    const order = orderOf(api)
    const jobs = await claimDeliveries(api.db.writer, order, [], { behind: null })
    const job = jobs.find(({ deliveryId }) => deliveryId === delivery)
    if (job === undefined) throw new Error('the delivery is not due')
    await recordJobThrow(
      api.db.writer,
      [job],
      order.leaseUntilMs,
      order.nowMs,
      ({ deliveryId, merchantId }) =>
        raisedOf('delivery_dead_lettered', { delivery: deliveryId, merchant: merchantId }, merchantId),
    )
  }
}

/** Fails the fan-out of every waiting event. */
export async function failFanouts(api: TestApi): Promise<void> {
  for (let failures = 0; failures < FANOUT_FAILURES_MAX; failures += 1) {
    api.advance(60_000)
    const nowMs = api.clock()
    const events = await findDueFanouts(api.db.reader, nowMs, CLAIMED_MAX)
    for (const event of events) {
      const facts = { event: event.id, merchant: event.merchantId }
      const ifEnds = raisedOf('fanout_failed', facts, event.merchantId)
      await recordFanoutFailure(api.db.writer, event, nowMs, ifEnds)
    }
  }
}
