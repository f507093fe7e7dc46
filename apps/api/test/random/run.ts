import type { FaultHook } from '@merchant-payments/core'
import type { JournalEntry } from '@merchant-payments/testing/invariants'
import { type Payers, payersBut } from '@merchant-payments/testing/payers'
import type { Random } from '@merchant-payments/testing/random'
import { createBehaviours } from '@merchant-payments/testing/weather'
import { startTestApi, type TestApi } from '../harness.ts'
import { withMockOrange } from '../mock-orange.ts'

/** A random run: the service, its rails, and the answers to its clients. */
export interface Run {
  readonly api: TestApi
  readonly payers: Payers
  readonly deaths: Deaths
  readonly nextBehaviour: ReturnType<typeof createBehaviours>
  readonly journal: JournalEntry[]
  /** Kinds of faults that a request to a rail met. */
  readonly faultsMet: Set<string>
}

/** Above the answer time of a busy machine, and below that of a rail that hangs. */
const RAIL_TIMEOUT_MS = 500
/** Names of the fault points between two commits. */
const DEATH_SHARE = 0.01

export async function openRun(random: Random): Promise<Run> {
  const deaths = createDeaths(random)
  const api = await startTestApi({
    railTimeoutMs: RAIL_TIMEOUT_MS,
    takesCallbacks: true,
    fault: deaths.fault,
  })
  return {
    api: await withMockOrange(api, RAIL_TIMEOUT_MS),
    payers: payersBut(new Set()),
    deaths,
    nextBehaviour: createBehaviours(random.fork(-3)),
    journal: [],
    faultsMet: new Set(),
  }
}

/** A process that stopped: its further steps do not happen. e2e/test/random-kills.test.ts kills real ones. */
export class Death extends Error {}

interface Deaths {
  readonly fault: FaultHook
  readonly end: () => void
}

function createDeaths(random: Random): Deaths {
  let share = DEATH_SHARE
  return {
    fault: () => {
      if (random.chance(share)) throw new Death()
    },
    end: () => {
      share = 0
    },
  }
}
