import { pause } from '../base/pause.ts'
import { classOf, reasonOf } from '../base/reason-of.ts'
import { collectRaised, type Raise, type Raised, raisedOf, saysAnswer } from '../base/raised.ts'
import { writeSkipped } from '../commit/write-raised.ts'
import { loadIntents } from '../payment-intents/store.ts'
import { sqlState, type Writer } from '@merchant-payments/db'
import { type ForRequest, untraced } from '../base/for-request.ts'
import type { Deps } from '../deps.ts'
import type { PaymentIntentId } from '../base/ids.ts'
import { loadInvoices } from '../invoices/store.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { knownRails } from '../rails/known.ts'
import { noEvidence, type QueryOutcome, type Rails } from '../rails/port.ts'
import { type Transition, writeTransitions } from '../payment-intents/transitions.ts'
import { claimLeased, type LostClaims } from '../queue/leases.ts'
import { asTheyCome } from '../queue/as-they-come.ts'
import { isOfWaiting } from '../base/refused-statements.ts'
import { runBatch, runBatchOfOwners, unlessRefused } from '../queue/run-batch.ts'
import { partsByRail, type RailPart, workOnParts } from '../queue/rail-parts.ts'
import type { Charge } from '../charges/charge.ts'
import { isLostHarmlessly, judge, type Resolution, type Verdict } from './judge-outcome.ts'
import { ruled, underRuling } from './ruling.ts'
import {
  claimCharges,
  recordChargeFailure,
  releaseCharges,
  reloadCharges,
  type Reschedule,
  rescheduleCharges,
} from '../charges/store.ts'

type SettleDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>

export const SETTLE_BATCH_MAX = 100
/** Each round loses to other writers of the same intents. Charges left after the last round are queried again later. */
const ROUNDS_MAX = 4

export interface SettleReport {
  readonly claimed: number
  readonly moved: number
}

/** The only way in which a charge is resolved. It never submits again. Each rail's part is one statement. */
export async function settleCharges(deps: SettleDeps, limit = SETTLE_BATCH_MAX): Promise<SettleReport> {
  return workOnParts(await claimDueCharges(deps, limit), (part) => settlePart(deps, part))
}

/**
 * Groups charges by rail, so that each part is settled when its own rail has answered.
 * @param lost kept by the caller from one call to the next
 */
export async function claimDueCharges(
  deps: Pick<SettleDeps, 'db' | 'rails' | 'clock' | 'fault'>,
  limit: number,
  busy: readonly string[] = [],
  lost: LostClaims = new Set(),
): Promise<RailPart<Charge>[]> {
  const { writer } = deps.db
  const known = knownRails(deps.rails)
  const { claimed: charges, leaseUntilMs } = await claimLeased(writer, deps.clock, {
    jobs: 'charge_jobs',
    lost,
    claim: (order) => claimCharges(writer, { ...order, limit }, { known, busy }),
  })
  if (charges.length > 0) deps.fault('settle.claimed')
  return partsByRail(charges, leaseUntilMs)
}

/** A charge that its rail's answer has just ended for the first time. */
export interface SettledCharge extends Pick<Charge, 'rail' | 'status' | 'openedAtMs' | 'requestId'> {
  readonly settledAtMs: number
}

export interface SettleHooks {
  readonly onSettled?: (charge: SettledCharge) => void
  /** Called when the answers of some charges are recorded, before those of the others. */
  readonly onEnded?: (charges: number) => void
  readonly forRequest?: ForRequest
}

/** @returns how many charges moved */
export async function settlePart(
  deps: SettleDeps,
  { items, leaseUntilMs }: RailPart<Charge>,
  { onSettled = () => {}, onEnded = () => {}, forRequest = untraced }: SettleHooks = {},
): Promise<number> {
  const answers = items.map((charge) => forRequest(charge.requestId, () => askRail(deps, charge)))
  const moved = await asTheyCome(answers, async (asked) => {
    deps.fault('settle.rail_answered')
    const some = await record(deps, asked, leaseUntilMs, onSettled)
    deps.fault('settle.committed')
    onEnded(asked.length)
    return some
  })
  return moved.reduce((sum, some) => sum + some, 0)
}

/** What a rail said of a charge, with the alerts that asking it raised. */
interface Asked extends Resolution {
  readonly raised: readonly Raised[]
}

async function askRail(deps: SettleDeps, charge: Charge): Promise<Asked> {
  const { raise, raised } = collectRaised(deps.alert, charge.merchantId)
  const ruling = ruled(charge)
  if (ruling?.kind === 'failed') return { charge, outcome: ruling, raised }
  // A charge that is ruled paid is queried too, because the rail's own answer is evidence.
  const outcome = await outcomeOf(deps.rails, charge, raise)
  return { charge, outcome: underRuling(charge, outcome), raised }
}

async function outcomeOf(rails: Rails, charge: Charge, raise: Raise): Promise<QueryOutcome> {
  const rail = rails.get(charge.rail)
  // A rail that left the configuration can be queried once it is back. Nothing is decided without it.
  if (rail === undefined) return unavailable
  if (isLostHarmlessly(charge, rail)) return lost
  try {
    return await rail.queryCharge(charge)
  } catch (error) {
    // An adapter must never throw. One that does must not hold up the charges of its batch again and again.
    const facts = { charge: charge.id, rail: charge.rail, error: classOf(error) }
    raise('rail_adapter_fault', facts, charge.lastQueryAtMs)
    return unavailable
  }
}

const unavailable: QueryOutcome = { kind: 'unavailable', evidence: noEvidence('query') }
const lost: QueryOutcome = { kind: 'not_found' }

async function record(
  deps: SettleDeps,
  asked: readonly Asked[],
  leaseUntilMs: number,
  onSettled: (charge: SettledCharge) => void,
): Promise<number> {
  let left: readonly Judged[] = asked.map(unjudged)
  let moved = 0
  for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
    const nowMs = deps.clock()
    const read = left.map(({ resolution }) => resolution)
    const fresh = round === 0 ? read : await reload(deps, read)
    const { judged, failed, later } = await judgeAll(deps, fresh, nowMs)
    for (const { resolution, raised, error } of failed) {
      await unlessRefused(() =>
        recordFailure(deps, deps.db.writer, resolution.charge, raised, error, leaseUntilMs),
      )
    }
    const transitions = judged.flatMap((one) =>
      one.verdict !== null && 'transition' in one.verdict
        ? [{ judged: one, transition: one.verdict.transition }]
        : [],
    )
    const reschedules = judged.flatMap(({ verdict }) =>
      verdict !== null && 'reschedule' in verdict ? [verdict.reschedule] : [],
    )
    const ends = await writePlanned(deps, transitions, leaseUntilMs, nowMs)
    await writeReschedules(deps, reschedules, leaseUntilMs, nowMs)
    const written = transitions.filter((_, n) => ends[n] === 'written')
    moved += written.length
    for (const { transition } of written) tellIfSettled(transition, onSettled)
    const raced = transitions.flatMap((one, n) => (ends[n] === 'raced' ? [one.judged] : []))
    await releaseAll(
      deps,
      judged.filter(({ verdict }) => verdict === null),
      leaseUntilMs,
    )
    left = [...raced, ...later.map(unjudged)]
  }
  await releaseAll(deps, left, leaseUntilMs)
  return moved
}

function tellIfSettled({ charge }: Transition, onSettled: (charge: SettledCharge) => void): void {
  if (charge === null || charge.before.settledAtMs !== null || charge.after.settledAtMs === null) return
  const { rail, status, openedAtMs, requestId, settledAtMs } = charge.after
  onSettled({ rail, status, openedAtMs, requestId, settledAtMs })
}

/**
 * Releases charges for which nothing was written, and writes only the alerts about their rails' answers.
 *
 * @returns whether another transaction holds the job of one, which then stays leased
 */
async function release(
  { clock }: Pick<SettleDeps, 'clock'>,
  writer: Writer,
  released: readonly Unwritten[],
  leaseUntilMs: number,
): Promise<boolean> {
  await writeSkipped(
    writer,
    released.flatMap(({ raised }) => raised),
    clock(),
  )
  const charges = released.map(({ resolution }) => resolution.charge)
  return releaseCharges(writer, charges, leaseUntilMs, clock())
}

/**
 * Waits in ms before another try to release a held job. A callback holds the job only for a commit. Without another
 * try, the job and the callback's mark would wait up to a minute for the lease to end.
 */
const HELD_WAITS_MS = [20, 100] as const

async function releaseAll(
  deps: SettleDeps,
  released: readonly Unwritten[],
  leaseUntilMs: number,
): Promise<void> {
  const { clock, db } = deps
  const charges = released.map(({ resolution }) => resolution.charge)
  let isHeld = await release(deps, db.writer, released, leaseUntilMs)
  for (const waitMs of HELD_WAITS_MS) {
    if (!isHeld) return
    await pause(waitMs)
    isHeld = await releaseCharges(db.writer, charges, leaseUntilMs, clock())
  }
}

/** A charge of which a pass writes nothing. */
interface Unwritten {
  readonly resolution: Pick<Resolution, 'charge'>
  readonly raised: readonly Raised[]
}

interface Judged extends Unwritten {
  readonly resolution: Asked
  /** Null if another process was first, or before it is judged. */
  readonly verdict: Verdict
  /** All alerts so far, of the rail's answer and of the verdict. */
  readonly raised: readonly Raised[]
}

/** The judgement threw, which is a bug. It delays no other charge. */
interface Unjudgeable extends Unwritten {
  readonly error: unknown
}

const unjudged = (resolution: Asked): Judged => ({ resolution, verdict: null, raised: resolution.raised })

async function judgeAll(
  deps: SettleDeps,
  read: readonly Asked[],
  nowMs: number,
): Promise<{ judged: Judged[]; failed: Unjudgeable[]; later: Asked[] }> {
  const { reader } = deps.db
  const intents = await loadIntents(
    reader,
    read.map(({ charge }) => charge),
  )
  const resolutions = await rereadPaid(deps, read, intents)
  const invoices = await loadInvoices(reader, billsPaid(resolutions, intents))
  const { now, later } = oneForEach(
    resolutions,
    ({ intentId }) => intents.get(intentId)?.invoiceId ?? intentId,
  )
  const judged: Judged[] = []
  const failed: Unjudgeable[] = []
  for (const resolution of now) {
    const { intentId, merchantId } = resolution.charge
    const { raise, raised } = collectRaised(deps.alert, merchantId)
    const { rails } = deps
    try {
      const verdict = judge(
        { rails, raise },
        resolution,
        intents.get(intentId),
        invoices.get(intentId),
        nowMs,
      )
      const all = [...resolution.raised, ...raised]
      judged.push({ resolution, verdict: withAlerts(verdict, all), raised: all })
    } catch (error) {
      failed.push({ resolution, raised: [...resolution.raised, ...raised], error })
    }
  }
  return { judged, failed, later }
}

/**
 * Money for an intent that is paid is a duplicate, unless it is the money that paid it: another process may have recorded
 * it since the charge was read. So these charges are read again, after their intents.
 */
async function rereadPaid(
  deps: SettleDeps,
  resolutions: readonly Asked[],
  intents: ReadonlyMap<PaymentIntentId, Intent>,
): Promise<readonly Asked[]> {
  const isPaid = ({ charge, outcome }: Resolution) =>
    outcome.kind === 'succeeded' && intents.get(charge.intentId)?.status === 'succeeded'
  const paid = resolutions.filter(isPaid)
  if (paid.length === 0) return resolutions
  return [...resolutions.filter((resolution) => !isPaid(resolution)), ...(await reload(deps, paid))]
}

/** The statement of the verdict also writes its alerts. */
function withAlerts(verdict: Verdict, raised: readonly Raised[]): Verdict {
  if (verdict === null || raised.length === 0) return verdict
  return 'transition' in verdict
    ? { transition: { ...verdict.transition, raised } }
    : { reschedule: { ...verdict.reschedule, raised } }
}

interface Planned {
  readonly judged: Judged
  readonly transition: Transition
}

/**
 * raced: another writer changed or holds the charge, its intent or its invoice. refused: the database rejects the
 * row.
 */
type End = 'written' | 'raced' | 'refused'

const writePlanned = (
  deps: SettleDeps,
  planned: readonly Planned[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<End[]> =>
  runBatchOfOwners<Planned, End>(planned, ({ judged }) => judged.resolution.charge.merchantId, {
    db: deps.db,
    write: async (some, { writer }) => {
      const transitions = some.map(({ transition }) => transition)
      const written = await writeTransitions(writer, transitions, nowMs, 'skip')
      return written.map((isWritten) => (isWritten ? 'written' : 'raced'))
    },
    ofRefused: (_, error) => (isOfWaiting(error) ? 'raced' : 'refused'),
    recordRefusal: async ({ judged }, error, { writer }) => {
      if (isOfWaiting(error)) return
      await recordFailure(deps, writer, judged.resolution.charge, judged.raised, error, leaseUntilMs)
    },
  })

async function writeReschedules(
  deps: SettleDeps,
  reschedules: readonly Reschedule[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<void> {
  let left = await rescheduleEach(deps, reschedules, leaseUntilMs, nowMs)
  for (const waitMs of HELD_WAITS_MS) {
    if (left.length === 0) return
    await pause(waitMs)
    left = await rescheduleEach(deps, left, leaseUntilMs, nowMs)
  }
  await writeSkipped(
    deps.db.writer,
    left.flatMap(({ raised = [] }) => raised),
    nowMs,
  )
}

/** @returns those whose lease was lost, or whose job another transaction holds */
async function rescheduleEach(
  deps: SettleDeps,
  reschedules: readonly Reschedule[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<Reschedule[]> {
  const skipped = await runBatch<Reschedule, boolean>(reschedules, {
    db: deps.db,
    write: async (some, { writer }) => {
      const left = new Set(await rescheduleCharges(writer, some, leaseUntilMs, nowMs))
      return some.map((one) => left.has(one))
    },
    ofRefused: () => false,
    recordRefusal: async ({ charge, raised = [] }, error, { writer }) => {
      if (isOfWaiting(error)) await release(deps, writer, [{ resolution: { charge }, raised }], leaseUntilMs)
      else await recordFailure(deps, writer, charge, raised, error, leaseUntilMs)
    },
  })
  return reschedules.filter((_, n) => skipped[n] === true)
}

/** SQLSTATE classes of data exceptions and constraint violations: the adapter returned what no row can hold. */
const refusedForItsContents = /^2[23]/

async function recordFailure(
  deps: SettleDeps,
  writer: Writer,
  charge: Charge,
  raised: readonly Raised[],
  error: unknown,
  leaseUntilMs: number,
): Promise<void> {
  const facts = { charge: charge.id, rail: charge.rail, error: reasonOf(error) }
  const fault = collectRaised(deps.alert, charge.merchantId)
  if (refusedForItsContents.test(sqlState(error) ?? '')) fault.raise('rail_adapter_fault', facts)
  const said = [...raised.filter(saysAnswer), ...fault.raised]
  const ifRests = raisedOf('charge_rests', facts, charge.merchantId)
  const failed = await recordChargeFailure(writer, charge, leaseUntilMs, deps.clock(), {
    raised: said,
    ifRests,
  })
  if (failed === 'rests') deps.alert(ifRests.alert, ifRests.facts)
  if (failed === 'skipped') await writeSkipped(writer, said, deps.clock())
}

const billsPaid = (resolutions: readonly Resolution[], intents: Map<PaymentIntentId, Intent>): Intent[] =>
  resolutions.flatMap(({ charge, outcome }) => {
    const intent = outcome.kind === 'succeeded' ? intents.get(charge.intentId) : undefined
    return intent === undefined || intent.invoiceId === null ? [] : [intent]
  })

/** Two charges of one intent or invoice cannot move in one statement, because each needs the result of the other. */
function oneForEach(resolutions: readonly Asked[], keyOf: (charge: Charge) => string) {
  const seen = new Set<string>()
  const now: Asked[] = []
  const later: Asked[] = []
  for (const resolution of resolutions) {
    const key = keyOf(resolution.charge)
    if (seen.has(key)) later.push(resolution)
    else now.push(resolution)
    seen.add(key)
  }
  return { now, later }
}

async function reload({ db }: SettleDeps, resolutions: readonly Asked[]): Promise<Asked[]> {
  const charges = await reloadCharges(
    db.reader,
    resolutions.map(({ charge }) => charge),
  )
  const byId = new Map(charges.map((charge) => [charge.id, charge]))
  return resolutions.flatMap(({ charge, outcome, raised }) => {
    const found = byId.get(charge.id)
    // An operator can rule on the charge while the rail is being queried.
    return found === undefined ? [] : [{ charge: found, outcome: underRuling(found, outcome), raised }]
  })
}
