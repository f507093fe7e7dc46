import type { Stack } from '@merchant-payments/stack'
import { runStatement } from '@merchant-payments/testing/client'

/**
 * Ends the minute between two counts of the worker. It looks for its turn each 15 seconds, so the new payments are
 * counted after that time at most.
 */
export async function countSoon({ databaseUrl }: Pick<Stack, 'databaseUrl'>): Promise<void> {
  await runStatement(databaseUrl, `delete from leases where name = 'roll-up'`)
}
