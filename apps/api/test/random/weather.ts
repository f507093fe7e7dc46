import { MockRailsError } from '@merchant-payments/mock-rails'
import type { Random } from '@merchant-payments/testing/random'
import { nextFault } from '@merchant-payments/testing/weather'
import type { Run } from './run.ts'

/** Faults around a payment. They depend on the payment and not on the clock, so slow machines have the same. */
export async function change(run: Run, random: Random): Promise<void> {
  const { control } = run.api.mock
  if (random.chance(0.005)) await control.clearFaults()
  if (random.chance(0.005)) await control.revokeTokens()
  if (random.chance(0.01)) await noteFaults(run)
  if (!random.chance(0.05)) return
  const { mtn, orange } = run.nextBehaviour()
  await control.updateSettings({
    mtn: { ...mtn, autoApproveAfterMs: random.pick([0, 500, 5_000]) },
    orange,
  })
}

/** The next request to either rail meets it, whoever sends it. Many queued faults count as one. */
export async function addFault({ api }: Run, random: Random): Promise<void> {
  await api.mock.control.addFault(nextFault(random)).catch((error: unknown) => {
    if (!(error instanceof MockRailsError && error.status === 409)) throw error
  })
}

/** The mock keeps only its newest calls. */
export async function noteFaults({ api, faultsMet }: Run): Promise<void> {
  const calls = await api.mock.control.listCalls({ limit: 2_000 })
  for (const { fault } of calls) if (fault !== null) faultsMet.add(fault)
}
