import type { Deps } from '../deps.ts'
import type { RailAdapter, RailRefunds } from '../rails/port.ts'
import { LEASE_MS } from '../work/claim.ts'
import { partsByRail, type RailPart, workOnParts } from '../work/rail-parts.ts'
import { askRefund, sendRefund, submitDeadlineOf } from './calls.ts'
import { type EarlierTries, isAbsent, isQuiet, isStuck, later, planAnswer, planTry } from './plan.ts'
import { moveInstruction, moveRefund, type Refund, type RefundChange } from './refund.ts'
import { claimRefunds, findErased } from './store.ts'
import { writeRefund } from './transitions.ts'

type InstructDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>

/** Refunds of one pass, looked after side by side. */
export const INSTRUCT_BATCH_MAX = 50

export interface InstructReport {
  readonly claimed: number
  /** Those whose rail has taken them or refused. */
  readonly moved: number
}

/**
 * One pass: leases refunds whose instruction the rail has neither taken nor refused, and looks after each of them. What
 * may have been sent is asked for before it is sent again, and every try is committed before it begins: a rail is never
 * instructed twice blindly.
 */
export async function instructRefunds(
  deps: InstructDeps,
  limit = INSTRUCT_BATCH_MAX,
): Promise<InstructReport> {
  return workOnParts(await claimDueRefunds(deps, limit), (part) => instructPart(deps, part))
}

/** Leases refunds that are due, but for those of busy rails, and parts them by rail. */
export async function claimDueRefunds(
  deps: Pick<InstructDeps, 'db' | 'clock' | 'fault'>,
  limit: number,
  busy: readonly string[] = [],
): Promise<RailPart<Refund>[]> {
  const nowMs = deps.clock()
  const leaseUntilMs = nowMs + LEASE_MS
  const refunds = await claimRefunds(deps.db.writer, { nowMs, limit, leaseUntilMs }, busy)
  if (refunds.length > 0) deps.fault('instruct.claimed')
  return partsByRail(refunds, leaseUntilMs)
}

/** @returns how many refunds their rail has now taken or refused */
export async function instructPart(deps: InstructDeps, { items }: RailPart<Refund>): Promise<number> {
  const erased = await findErased(deps.db.reader, items)
  const maySend = ({ id, destination }: Refund) => destination !== null && !erased.has(id)
  const ends = await Promise.allSettled(
    items.filter(isPending).map((refund) => lookAfter(deps, refund, maySend(refund))),
  )
  // One that cannot be written holds up none of the others: all have ended before it is told of.
  const failure = ends.find(({ status }) => status === 'rejected')
  if (failure?.status === 'rejected') throw failure.reason
  return ends.filter((end) => 'value' in end && end.value).length
}

const isPending = (refund: Refund) => refund.status === 'pending'

async function lookAfter(deps: InstructDeps, refund: Refund<'pending'>, maySend: boolean): Promise<boolean> {
  const judge = refund.instruction === 'unsent' ? judgeUnsent : judgeSent
  const verdict = await judge(deps, refund, maySend)
  return 'refunds' in verdict ? tryAgain(deps, verdict, refund) : record(deps, verdict)
}

/** A rail that can be instructed. */
interface Line {
  readonly rail: RailAdapter
  readonly refunds: RailRefunds
}

/** The rail certainly has none of it. */
function judgeUnsent(
  { rails, clock }: InstructDeps,
  refund: Refund<'pending'>,
  maySend: boolean,
): RefundChange | Line {
  const nowMs = clock()
  if (!maySend) return moveRefund(refund, 'fail', { reason: 'customer_erased' }, nowMs)
  const rail = rails.get(refund.rail)
  // A rail that left the configuration can be instructed once it is back.
  if (rail === undefined) return later(refund, nowMs)
  const { refunds } = rail
  return refunds === null ? moveRefund(refund, 'fail', { reason: 'not_supported' }, nowMs) : { rail, refunds }
}

/** The rail may have it, so the rail is asked. Nothing is concluded without its answer. */
async function judgeSent(
  deps: InstructDeps,
  refund: Refund<'pending'>,
  maySend: boolean,
): Promise<RefundChange | Line> {
  const rail = deps.rails.get(refund.rail)
  const refunds = rail?.refunds ?? null
  if (rail === undefined || refunds === null) return later(refund, deps.clock())
  const answer = await askRefund(deps, refunds, refund)
  const nowMs = deps.clock()
  const change = planAnswer(refund, answer, nowMs)
  if (change !== null) return change
  const notFoundCount = refund.notFoundCount + 1
  const absent = isAbsent(refund, notFoundCount, nowMs)
  if (maySend && (refunds.dedupes || absent)) return { rail, refunds }
  if (!maySend && absent) return moveRefund(refund, 'fail', { reason: 'customer_erased' }, nowMs)
  return later(refund, nowMs, notFoundCount)
}

async function tryAgain(
  deps: InstructDeps,
  { rail, refunds }: Line,
  refund: Refund<'pending'>,
): Promise<boolean> {
  const nowMs = deps.clock()
  const fields = { submitDeadlineMs: submitDeadlineOf(rail, nowMs), notFoundCount: 0 }
  const marked = moveInstruction(refund, 'send', fields)
  if (!(await writeRefund(deps.db.writer, marked, null, nowMs))) return false
  deps.fault('instruct.marked')
  const outcome = await sendRefund(deps, refunds, marked.after, nowMs)
  deps.fault('instruct.rail_answered')
  return record(deps, planTry(marked.after, outcome, earlierTries(refund, nowMs), deps.clock()))
}

function earlierTries(refund: Refund<'pending'>, nowMs: number): EarlierTries {
  if (refund.instruction === 'unsent') return 'none'
  return isQuiet(refund, nowMs) ? 'over' : 'recent'
}

/** A change that loses to another is planned anew once the lease has ended. */
async function record(deps: InstructDeps, change: RefundChange): Promise<boolean> {
  const { id, rail } = change.before
  const isOpen = change.after.instructAtMs !== null
  if (isOpen && isStuck(change.after)) deps.alert('refund_stuck', { refund: id, rail })
  const written = await writeRefund(deps.db.writer, change, null, deps.clock())
  deps.fault('instruct.committed')
  return written && !isOpen
}
