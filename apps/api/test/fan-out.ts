import { claimFanout, fanOut, LEASE_MS } from '@merchant-payments/core'
import type { TestApi } from './harness.ts'

const EVENTS_MAX = 500

/** Every event is told to its endpoints, of which there are none. */
export async function fanOutAll({ db, clock }: TestApi): Promise<void> {
  for (let claimed = 1; claimed > 0; ) {
    const nowMs = clock()
    const order = { nowMs, limit: EVENTS_MAX, leaseUntilMs: nowMs + LEASE_MS }
    const events = await claimFanout(db.writer, order)
    claimed = events.length
    await fanOut(db.writer, events, () => [], order.leaseUntilMs, nowMs)
  }
}
