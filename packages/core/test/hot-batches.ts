import { expect } from 'vitest'
import { claimCharges, reloadCharges, rescheduleCharges } from '../src/charges/store.ts'
import { claimDeliveries } from '../src/deliveries/claim-store.ts'
import { fanOut, finishAttempts } from '../src/deliveries/store.ts'
import { findDueFanouts } from '../src/events/store.ts'
import { moveIntent } from '../src/payment-intents/intent.ts'
import { loadIntents } from '../src/payment-intents/store.ts'
import { writeTransitions } from '../src/payment-intents/transitions.ts'
import type { HotStatements } from './hot-statements.ts'
import { orderOf } from './hot-writes.ts'
import { exhausted, PUSH } from './make.ts'

/** Passes of the worker, from the claim to the last write. */
export const hotBatches: HotStatements = {
  'a batch of 100 settlements': [
    2_500,
    async ({ reader, writer }, big) => {
      const claimOrder = orderOf(big, 100)
      const { nowMs } = big
      const charges = await claimCharges(writer, claimOrder, { known: [PUSH] })
      expect(charges).toHaveLength(100)
      const intents = await loadIntents(reader, charges)
      await reloadCharges(reader, charges)
      const later = charges.map((charge) => ({
        charge,
        nextQueryAtMs: nowMs + 2_000,
        queryRung: 1,
        notFoundCount: 0,
        reported: null,
      }))
      await rescheduleCharges(writer, later, claimOrder.leaseUntilMs, nowMs)
      const cancels = [...intents.values()].flatMap((intent) =>
        intent.status === 'processing'
          ? [
              {
                intent,
                change: moveIntent(intent, 'cancel', { reason: null }, nowMs),
                charge: null,
                key: null,
              },
            ]
          : [],
      )
      expect(await writeTransitions(writer, cancels, nowMs)).toEqual(cancels.map(() => true))
    },
  ],
  // The claim reads a few pages for each of 2 000 endpoints that have jobs.
  'a batch of 100 events and their deliveries': [
    20_000,
    async ({ reader, writer }, big) => {
      const claimOrder = orderOf(big, 100)
      const { nowMs } = big
      const events = await findDueFanouts(reader, nowMs, 100)
      expect(await fanOut(writer, events, () => ['hook', 'other'], nowMs)).toBe(100)
      const jobs = await claimDeliveries(writer, claimOrder, [], { behind: null })
      const attempts = jobs.map((job) => ({
        job,
        startedAtMs: nowMs,
        durationMs: 5,
        statusCode: 200,
        error: null,
        responseExcerpt: null,
        result: 'succeeded' as const,
      }))
      expect(await finishAttempts(writer, attempts, claimOrder.leaseUntilMs, nowMs, exhausted)).toHaveLength(
        100,
      )
    },
  ],
}
