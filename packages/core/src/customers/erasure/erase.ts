import type { Tx } from '@merchant-payments/db'
import type { Customer } from '../customer.ts'
import { pause } from '../../base/pause.ts'
import { reasonOf } from '../../base/reason-of.ts'
import type { Deps } from '../../deps.ts'
import { type Floors, floorsAt, newFloors } from '../../queue/floors.ts'
import { postponeFenced, releaseFenced } from '../../queue/fenced-jobs.ts'
import { claimErasures, type Erasure, erasureJobs, recordIntention } from './jobs-store.ts'
import { FIRST_COPIES, takeStep } from './step.ts'

export type ErasureDeps = Pick<Deps, 'db' | 'clock' | 'alert' | 'fault'>

interface Share {
  readonly stepsMax: number
  readonly timeMaxMs: number
}

/** Enough for nearly every customer, so that a DELETE is usually answered after the whole erasure. */
const IN_REQUEST: Share = { stepsMax: 80, timeMaxMs: 2_000 }
/** What most idle customers need. The worker finishes the others, so that a sweep of many stays short. */
const IN_SWEEP: Share = { stepsMax: 5, timeMaxMs: 2_000 }
const IN_PASS: Share = { stepsMax: 200, timeMaxMs: 5_000 }

const HELD_MAX = 4

/**
 * Longest pause after a step. A step that was slow for another reason, such as a stalled disk, does not predict the
 * next one.
 */
const PAUSE_MAX_MS = 250

/** Consecutive failures, over at least 15 s, after which every further one alerts an operator. */
const STUCK_AFTER = 5

const ERASURES_MAX = 4

/**
 * Spec 3.2. The transaction has locked the customer's row, and takes the erasure's time only now. So a refund that was
 * committed before the erasure never has the later time. `eraseOn` continues after the commit.
 */
export const beginErasure = (
  { clock }: Pick<Deps, 'clock'>,
  tx: Tx,
  customer: Customer,
  requestId: string | null,
): Promise<{ erasure: Erasure; keepsRow: boolean }> =>
  recordIntention(tx, customer, { requestId, nowMs: clock(), clearing: FIRST_COPIES })

/** The worker does what is left, and retries what fails. */
export async function eraseOn(
  deps: ErasureDeps,
  erasure: Erasure,
  caller: 'request' | 'sweep' = 'request',
): Promise<void> {
  deps.fault('erase.begun')
  await work(deps, erasure, caller === 'request' ? IN_REQUEST : IN_SWEEP)
}

interface FinishReport {
  readonly claimed: number
  readonly finished: number
  readonly full: boolean
}

export async function finishErasures(deps: ErasureDeps, floors: Floors = newFloors()): Promise<FinishReport> {
  const { writer } = deps.db
  const { erasures: fromMs } = await floorsAt(floors, writer, deps.clock())
  const erasures = await claimErasures(writer, ERASURES_MAX, fromMs)
  const ends = await Promise.all(erasures.map((erasure) => work(deps, erasure, IN_PASS)))
  return {
    claimed: erasures.length,
    finished: ends.filter((end) => end === 'finished').length,
    full: ends.includes('advanced') || erasures.length === ERASURES_MAX,
  }
}

async function work(
  deps: ErasureDeps,
  erasure: Erasure,
  share: Share,
): Promise<'advanced' | 'finished' | 'lost' | 'postponed'> {
  try {
    const end = await takeSteps(deps, erasure, share)
    if (end === 'held') return await postpone(deps, erasure, 'a row is locked')
    if (end === 'advanced') await releaseFenced(deps.db.writer, erasureJobs, erasure)
    return end
  } catch (error) {
    return postpone(deps, erasure, reasonOf(error))
  }
}

async function takeSteps(deps: ErasureDeps, erasure: Erasure, { stepsMax, timeMaxMs }: Share) {
  const untilMs = deps.clock() + timeMaxMs
  let heldInARow = 0
  for (let steps = 0; steps < stepsMax && deps.clock() < untilMs; steps += 1) {
    const beganMs = deps.clock()
    const end = await takeStep(deps, erasure)
    if (end === 'lost') return end
    deps.fault('erase.step_committed')
    if (end === 'finished') return end
    // Pauses as long as the step took, so that an erasure uses at most half of one connection, one core and the disk.
    await pause(Math.min(deps.clock() - beganMs, PAUSE_MAX_MS))
    heldInARow = end === 'held' ? heldInARow + 1 : 0
    if (heldInARow === HELD_MAX) return 'held' as const
  }
  return 'advanced' as const
}

async function postpone({ db, alert }: ErasureDeps, erasure: Erasure, reason: string): Promise<'postponed'> {
  const failures = await postponeFenced(db.writer, erasureJobs, erasure)
  if (failures >= STUCK_AFTER) alert('erasure_stuck', { customer: erasure.customerId, failures, reason })
  return 'postponed'
}
