import type { Stack } from '@merchant-payments/stack'
import { findViolations } from '@merchant-payments/testing/invariants'
import { moveAhead, untilDrained } from '../../test/drain.ts'

/** Longer than a handset's prompt or a rail's page waits for its payer. */
const RAILS_AHEAD_MS = 15 * 60_000

/** Lets every payment of the run end, and lists the violations. */
export async function settleUp(stack: Stack): Promise<string[]> {
  const { worker, mockRails, databaseUrl, webhook } = stack
  await mockRails.control.advanceClock(RAILS_AHEAD_MS)
  await moveAhead(stack, [worker])
  await untilDrained(databaseUrl)
  const { debits, credits } = await mockRails.control.getLedger({ limit: 10_000 })
  return findViolations({
    databaseUrl,
    debits,
    credits,
    journal: [],
    received: webhook?.receiver.received() ?? [],
    endpoints: 1,
  })
}
