import { setTimeout as delay } from 'node:timers/promises'
import type { Child, Environment, Stack } from '@merchant-payments/stack'
import { countPending, pullPayoutsForward } from '@merchant-payments/testing/pending'

/** Some minutes, because a charge past its quick rungs is queried once a minute, and a lost one three times. */
const STEPS_MAX = 1_500
const STEP_MS = 200

/** The longest drain, for the limit of a test. */
export const DRAIN_TIMEOUT_MS = 360_000

/** After the rule for a submit that the rail never saw and after every lease, but within a webhook's tolerance. */
const AHEAD_MS = 4 * 60_000

/** A refund whose instruction was lost five times waits five minutes for its next query, and then fifteen. */
const STEPS_OF_A_PULL = 25

/**
 * Starts the workers again with every lease and short schedule over. The rails go ahead by the same time: a worker
 * alone would ask for the last time about a charge that its rail has yet to settle.
 */
export async function moveAhead(
  { mockRails }: Pick<Stack, 'mockRails'>,
  workers: readonly Child[],
  env: Environment = {},
): Promise<void> {
  await mockRails.control.advanceClock(AHEAD_MS)
  for (const worker of workers) await worker.restart({ ...env, CLOCK_OFFSET_MS: String(AHEAD_MS) })
}

/** Waits until nothing is pending. */
export async function untilDrained(databaseUrl: string): Promise<void> {
  let left = await countPending(databaseUrl)
  for (let step = 0; step < STEPS_MAX && Object.keys(left).length > 0; step += 1) {
    await delay(STEP_MS)
    if (step % STEPS_OF_A_PULL === STEPS_OF_A_PULL - 1) await pullPayoutsForward(databaseUrl)
    left = await countPending(databaseUrl)
  }
  if (Object.keys(left).length > 0) throw new Error(`the run did not drain: ${JSON.stringify(left)}`)
}
