import { setTimeout as delay } from 'node:timers/promises'
import { countPending } from '@merchant-payments/testing/invariants'

const STEPS_MAX = 600
const STEP_MS = 200

/** How long it may take, for a test's own limit. */
export const DRAIN_TIMEOUT_MS = 180_000

/** Past the rule for a submit that the rail never saw, past every lease, and short of a webhook's tolerance. */
export const AHEAD_MS = 4 * 60_000

/** Until all that is under way has come to its end. */
export async function untilDrained(databaseUrl: string): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if ((await countPending(databaseUrl)) === 0) return
    await delay(STEP_MS)
  }
  throw new Error('the run did not drain')
}
