import { setTimeout as delay } from 'node:timers/promises'
import { countPending, pullPayoutsForward } from '@merchant-payments/testing/pending'

/** Some minutes: a charge that is past its quick rungs is asked for once a minute, and a lost one three times. */
const STEPS_MAX = 1_500
const STEP_MS = 200

/** How long it may take, for a test's own limit. */
export const DRAIN_TIMEOUT_MS = 360_000

/** Past the rule for a submit that the rail never saw, past every lease, and short of a webhook's tolerance. */
export const AHEAD_MS = 4 * 60_000

/** A refund whose instruction was lost five times waits five minutes for its next look, and then fifteen. */
const STEPS_OF_A_PULL = 25

/** Until all that is under way has come to its end. */
export async function untilDrained(databaseUrl: string): Promise<void> {
  let left = await countPending(databaseUrl)
  for (let step = 0; step < STEPS_MAX && Object.keys(left).length > 0; step += 1) {
    await delay(STEP_MS)
    if (step % STEPS_OF_A_PULL === STEPS_OF_A_PULL - 1) await pullPayoutsForward(databaseUrl)
    left = await countPending(databaseUrl)
  }
  if (Object.keys(left).length > 0) throw new Error(`the run did not drain: ${JSON.stringify(left)}`)
}
