import { isDatabaseAway, type Reader, type Writer } from '@merchant-payments/db'
import { type ForRequest, untraced } from '../base/for-request.ts'
import { reasonOf } from '../base/reason-of.ts'
import { collectRaised, type RaisedAlerts, raisedOf } from '../base/raised.ts'
import { isOfLock, isOfWaiting } from '../base/refused-statements.ts'
import { writeSkipped } from '../commit/write-raised.ts'
import type { Deps } from '../deps.ts'
import { submitDeadlineOf } from '../rails/deadlines.ts'
import { payoutRails, refundsIn } from '../rails/known.ts'
import { noEvidence, type RailAdapter, type RailRefunds } from '../rails/port.ts'
import type { ClaimOrder } from '../queue/claim.ts'
import type { ClaimedRails } from '../queue/floors.ts'
import { claimLeased, type Room } from '../queue/leases.ts'
import { unlessRefused } from '../queue/run-batch.ts'
import { partsByRail, type RailPart } from '../queue/rail-parts.ts'
import { readInHalves, type SetAside } from '../queue/read-in-halves.ts'
import { askPayout, factsOf, sendPayout } from './calls.ts'
import type { Due, JobEffect, Move, Payout, PayoutKey } from './payout.ts'
import {
  again,
  type EarlierTries,
  isStuck,
  later,
  planAnswer,
  planEnd,
  planRuling,
  planTry,
  planWatch,
  type Verdict,
} from './plan.ts'
import { endJob, failJob, giveBackJob, type JobQueue, postponeJob, scheduleCheck } from './store.ts'

export type InstructDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>

export const INSTRUCT_BATCH_MAX = 50

interface Effects {
  readonly job: JobEffect
  readonly raised: RaisedAlerts['raised']
}

export interface PayoutLedger<P extends Payout> {
  readonly queue: JobQueue
  claim(
    writer: Writer,
    order: ClaimOrder,
    rails: ClaimedRails,
    setAside: SetAside<PayoutKey>,
  ): Promise<Due<P>[]>
  /** The payouts whose customer was erased after they were made (spec 3.2). */
  findErased(reader: Reader, payouts: readonly P[]): Promise<ReadonlySet<string>>
  /** Waits for no lock. @returns null if another process was first. The alerts are then not written */
  write(writer: Writer, due: Due<P>, move: Move, effects: Effects, nowMs: number): Promise<P | null>
}

export async function claimDuePayouts<P extends Payout>(
  deps: InstructDeps,
  ledger: PayoutLedger<P>,
  { limit, leftOut = [], lost, floors }: Room,
): Promise<RailPart<Due<P>>[]> {
  const { db, rails, clock, fault } = deps
  const { claimed: due, leaseUntilMs } = await claimLeased(db.writer, clock, {
    jobs: ledger.queue.jobs,
    lost,
    claim: (order) =>
      ledger.claim(
        db.writer,
        { ...order, limit, floors },
        { known: payoutRails(rails), leftOut },
        (payout, error) =>
          recordFailure({ deps, queue: ledger.queue, raised: [], due: { payout, job: order } }, error),
      ),
  })
  if (due.length > 0) fault('instruct.claimed')
  return partsByRail(due, leaseUntilMs)
}

/** Alerts are kept in `raised`, and written with the next change of the payout or its job. */
interface Scene extends RaisedAlerts {
  readonly deps: InstructDeps
  readonly queue: JobQueue
  readonly due: Due
  readonly maySend: boolean
  /** @returns the scene of the payout as written, or null if another process was first */
  readonly write: (move: Move, effects: Effects, nowMs: number) => Promise<Scene | null>
}

/** A function repeats the write, because another transaction held the rows. */
type CheckResult = boolean | (() => Promise<boolean>)

export interface CheckHooks {
  /** Called when some rails have answered, before the others. */
  readonly onEnded?: (payouts: number) => void
  readonly forRequest?: ForRequest
}

/**
 * Queries a payout that may have been sent before it sends it again, and commits every try before it begins. So a
 * rail is never instructed twice blindly.
 *
 * @returns how many the rail has now accepted or refused
 */
export async function checkPayouts<P extends Payout>(
  deps: InstructDeps,
  ledger: PayoutLedger<P>,
  { items }: RailPart<Due<P>>,
  { onEnded = () => {}, forRequest = untraced }: CheckHooks = {},
): Promise<number> {
  const parts = await readInHalves(
    items,
    (some) => scenesOf(deps, ledger, some),
    (due, error) => recordFailure({ deps, queue: ledger.queue, raised: [], due }, error),
  )
  const scenes = parts.flat()
  const ends = await Promise.allSettled(
    scenes.map((scene) =>
      forRequest(scene.due.requestId, () => checkPayout(scene)).finally(() => onEnded(1)),
    ),
  )
  let moved = 0
  const errors: unknown[] = []
  for (const [n, scene] of scenes.entries()) {
    try {
      // One after the other, because payouts of one intent may have locked each other's rows.
      if (await conclusionOf(scene, ends[n])) moved += 1
    } catch (error) {
      errors.push(error)
    }
  }
  // Thrown after the last payout, so that one failure does not abandon the others.
  if (errors.length > 0) throw errors[0]
  return moved
}

async function scenesOf<P extends Payout>(
  deps: InstructDeps,
  ledger: PayoutLedger<P>,
  items: readonly Due<P>[],
): Promise<Scene[]> {
  const payouts = items.map(({ payout }) => payout)
  const erased = await ledger.findErased(deps.db.reader, payouts)
  return items.map((due) => {
    const { destination, id, merchantId } = due.payout
    const maySend = destination !== null && !erased.has(id)
    const alerts = collectRaised(deps.alert, merchantId)
    const sceneOf = (some: Due<P>): Scene => ({
      ...alerts,
      deps,
      queue: ledger.queue,
      due: some,
      maySend,
      write: async (move, effects, nowMs) => {
        const payout = await ledger.write(deps.db.writer, some, move, effects, nowMs)
        return payout && sceneOf({ ...some, payout })
      },
    })
    return sceneOf(due)
  })
}

async function conclusionOf(
  scene: Scene,
  check: PromiseSettledResult<CheckResult> | undefined,
): Promise<boolean> {
  try {
    if (check?.status === 'rejected') throw check.reason
    return typeof check?.value === 'function' ? await check.value() : check?.value === true
  } catch (error) {
    await unlessRefused(() => recordFailure(scene, error))
    return false
  }
}

interface Failing extends Pick<Scene, 'deps' | 'raised' | 'queue'> {
  readonly due: { readonly payout: PayoutKey; readonly job: Pick<Due['job'], 'leaseUntilMs'> }
}

/**
 * A payout that cannot be read or written delays no other. It rests in the end if PostgreSQL refuses it, but not
 * because the database is slow or away.
 */
async function recordFailure({ deps, raised, queue, due }: Failing, error: unknown): Promise<void> {
  const { db, clock, alert } = deps
  const held = { payout: due.payout, leaseUntilMs: due.job.leaseUntilMs }
  if (isOfWaiting(error) || isDatabaseAway(error)) {
    await writeSkipped(db.writer, raised, clock())
    return postponeJob(db.writer, queue, held, clock())
  }
  const facts = { ...factsOf(due.payout), error: reasonOf(error) }
  const ifRests = raisedOf('refund_rests', facts, due.payout.merchantId)
  if (await failJob(db.writer, queue, held, clock(), { raised, ifRests })) alert(ifRests.alert, ifRests.facts)
}

async function checkPayout(scene: Scene): Promise<CheckResult> {
  const { deps, due } = scene
  const { payout, job } = due
  if (job.ruling !== null) return conclude(scene, planRuling(payout, job.ruling, deps.clock()))
  switch (payout.instruction) {
    case 'unsent':
      return judgeUnsent(scene)
    case 'sent':
      return checkSent(scene)
    case 'refused':
      return watch(scene, planWatch)
    case 'accepted':
      return watch(scene, planEnd)
  }
}

async function judgeUnsent(scene: Scene): Promise<CheckResult> {
  const { deps, due, maySend } = scene
  if (!maySend) return conclude(scene, refused('customer_erased'))
  const rail = deps.rails.get(due.rail)
  const refunds = refundsIn(rail, due.payout.currency)
  if (rail !== undefined && refunds !== null) return send(scene, { rail, refunds, earlier: 'none' })
  // Left to workers with a newer configuration. A rail that left the configuration can be instructed once it is back.
  const wait = later(due.job, deps.clock())
  // A payout that has changed was tried by a process that has refunds for the rail, and those checks count too.
  const isNew = due.payout.revision === 0
  if (rail === undefined || !isNew || !isStuck(wait.job)) return conclude(scene, wait)
  return conclude(scene, { ...refused('not_supported'), alert: 'refund_stuck' })
}

const refused = (reason: 'customer_erased' | 'not_supported'): Verdict => ({
  move: { kind: 'refuse', reason, railCode: null, railMessage: null },
  job: { kind: 'end' },
})

/** The rail may have it, so the rail is queried. Nothing is decided without its answer. */
async function checkSent(scene: Scene): Promise<CheckResult> {
  const { deps, due, maySend } = scene
  const rail = deps.rails.get(due.rail)
  const refunds = rail?.refunds ?? null
  if (rail === undefined || refunds === null) return conclude(scene, later(due.job, deps.clock()))
  const answer = await askPayout(scene, refunds, due.payout)
  if (answer.kind === 'held_back') return conclude(scene, again(deps.clock()))
  const { dedupes } = refunds
  const verdict = planAnswer(due.payout, due.job, answer, { maySend, dedupes }, deps.clock())
  if (!('send' in verdict)) return conclude(scene, verdict)
  if (refundsIn(rail, due.payout.currency) === null) return conclude(scene, later(due.job, deps.clock()))
  return send(scene, { rail, refunds, earlier: verdict.send })
}

interface Try {
  readonly rail: RailAdapter
  readonly refunds: RailRefunds
  readonly earlier: EarlierTries
}

async function send(scene: Scene, { rail, refunds, earlier }: Try): Promise<CheckResult> {
  const { deps, due } = scene
  const nowMs = deps.clock()
  const move = { kind: 'send', submitDeadlineMs: submitDeadlineOf(rail, nowMs) } as const
  // The alerts so far are written with the end of the try.
  const effects = { job: { kind: 'restart' }, raised: [] } as const
  const marked = await scene.write(move, effects, nowMs)
  if (marked === null) {
    await giveBack(scene, nowMs)
    return false
  }
  deps.fault('instruct.marked')
  const outcome = await sendPayout(marked, refunds, marked.due.payout, nowMs)
  deps.fault('instruct.rail_answered')
  return conclude(marked, planTry({ ...due.job, notFoundCount: 0 }, outcome, earlier, deps.clock()))
}

/** The rail has accepted or refused the payout, and may say otherwise later. */
async function watch(scene: Scene, plan: typeof planWatch): Promise<CheckResult> {
  const { deps, due } = scene
  const refunds = deps.rails.get(due.rail)?.refunds ?? null
  const answer = refunds === null ? unavailable : await askPayout(scene, refunds, due.payout)
  const nowMs = deps.clock()
  return conclude(
    scene,
    answer.kind === 'held_back' ? again(nowMs) : plan(due.payout, due.job, answer, nowMs),
  )
}

const unavailable = { kind: 'unavailable', evidence: noEvidence('query_refund') } as const

/**
 * Another writer has changed the payout. Writes the alerts about the rail's answer, and schedules another check soon.
 */
async function giveBack(scene: Scene, nowMs: number): Promise<void> {
  const { writer } = scene.deps.db
  await writeSkipped(writer, scene.raised, nowMs)
  await giveBackJob(writer, scene.queue, heldOf(scene), nowMs)
}

const heldOf = ({ due }: Scene) => ({ payout: due.payout, leaseUntilMs: due.job.leaseUntilMs })

async function conclude(scene: Scene, { move, job, alert }: Verdict): Promise<CheckResult> {
  const { deps, queue, due, raise, raised } = scene
  const isOver = move?.kind === 'accept' || move?.kind === 'refuse'
  const isLate = !isOver && job.kind === 'check' && isStuck(job)
  const told = isLate ? 'refund_stuck' : alert
  if (told !== undefined) raise(told, factsOf(due.payout))
  if (move === null) {
    const { writer } = deps.db
    const alerts = { raised, nowMs: deps.clock() }
    if (job.kind === 'end') await endJob(writer, queue, heldOf(scene), job, alerts)
    else await scheduleCheck(writer, queue, heldOf(scene), job, alerts)
    deps.fault('instruct.committed')
    return false
  }
  const write = async () => {
    const nowMs = deps.clock()
    const written = await scene.write(move, { job, raised }, nowMs)
    if (written === null) await giveBack(scene, nowMs)
    deps.fault('instruct.committed')
    return written !== null && isOver
  }
  try {
    return await write()
  } catch (error) {
    // Not after the statement time-out, because the payouts of a part would then wait for it one after the other.
    if (isOfLock(error)) return write
    throw error
  }
}
