import type { Stack } from '@merchant-payments/stack'
import { findViolations } from '@merchant-payments/testing/invariants'
import { AHEAD_MS, untilDrained } from '../../test/drain.ts'

/** Past the time that a handset or a rail's page waits for its payer. */
const RAILS_AHEAD_MS = 15 * 60_000

/** Lets every payment of the run come to its end, and lists what then is not as it must be. */
export async function settleUp({ worker, mockRails, databaseUrl, webhook }: Stack): Promise<string[]> {
  await mockRails.control.advanceClock(RAILS_AHEAD_MS)
  await worker.restart({ CLOCK_OFFSET_MS: String(AHEAD_MS) })
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
