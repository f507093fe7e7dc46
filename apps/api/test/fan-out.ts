import { fanOut, findDueFanouts } from '@merchant-payments/core'
import type { TestApi } from './harness.ts'

const EVENTS_MAX = 500

/** Fans every event out to no endpoint. */
export async function fanOutAll({ db, clock }: TestApi): Promise<void> {
  for (let done = 1; done > 0; ) {
    const events = await findDueFanouts(db.reader, clock(), EVENTS_MAX)
    done = await fanOut(db.writer, events, () => [], clock())
  }
}
