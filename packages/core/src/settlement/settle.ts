import type { Alert } from '../base/alerts.ts'
import { type ForRequest, untraced } from '../base/for-request.ts'
import type { PaymentIntentId } from '../base/ids.ts'
import { collectRaised, type Raise, type Raised } from '../base/raised.ts'
import { classOf } from '../base/reason-of.ts'
import { isOfWaiting } from '../base/refused-statements.ts'
import type { Charge } from '../charges/charge.ts'
import { claimCharges, reloadCharges } from '../charges/store.ts'
import type { Invoice } from '../invoices/invoice.ts'
import { loadInvoices } from '../invoices/store.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { loadIntents } from '../payment-intents/store.ts'
import { type Transition, writeTransitions } from '../payment-intents/transitions.ts'
import { asTheyCome } from '../queue/as-they-come.ts'
import { claimLeased, type Room } from '../queue/leases.ts'
import { partsByRail, type RailPart } from '../queue/rail-parts.ts'
import { readInHalves } from '../queue/read-in-halves.ts'
import { runBatchOfOwners, unlessRefused } from '../queue/run-batch.ts'
import { knownRails } from '../rails/known.ts'
import { noEvidence, type QueryOutcome, type Rails } from '../rails/port.ts'
import {
  type Failed,
  recordFailure,
  releaseAll,
  type SettleDeps,
  type Settling,
  type Unwritten,
  writeReschedules,
} from './jobs.ts'
import { isLostHarmlessly, judge, type Resolution, type Verdict } from './judge-outcome.ts'
import { ruled, underRuling } from './ruling.ts'

export const SETTLE_BATCH_MAX = 100
/** Each round loses to other writers of the same intents. Charges left after the last round are queried again later. */
const ROUNDS_MAX = 4

/** Groups charges by rail, so that each part is settled when its own rail has answered. */
export async function claimDueCharges(
  deps: SettleDeps,
  { limit, leftOut = [], lost }: Room,
): Promise<RailPart<Charge>[]> {
  const { writer } = deps.db
  const known = knownRails(deps.rails)
  const { claimed: charges, leaseUntilMs } = await claimLeased(writer, deps.clock, {
    jobs: 'charge_jobs',
    lost,
    claim: (order) =>
      claimCharges(writer, { ...order, limit }, { known, leftOut }, (charge, error) =>
        recordFailure({ ...deps, ...order }, writer, { charge, raised: [], error }),
      ),
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
  readonly onEnded?: (charges: number) => void
  readonly forRequest?: ForRequest
}

/**
 * The only way in which a charge is resolved. It never submits again. One statement writes the answers
 * that came together.
 *
 * @returns how many charges moved
 */
export async function settlePart(
  deps: SettleDeps,
  { items, leaseUntilMs }: RailPart<Charge>,
  { onSettled = () => {}, onEnded = () => {}, forRequest = untraced }: SettleHooks = {},
): Promise<number> {
  const answers = items.map((charge) => forRequest(charge.requestId, () => askRail(deps, charge)))
  const moved = await asTheyCome(answers, async (asked) => {
    deps.fault('settle.rail_answered')
    const some = await record({ ...deps, leaseUntilMs }, asked, onSettled)
    deps.fault('settle.committed')
    onEnded(asked.length)
    return some
  })
  return moved.reduce((sum, some) => sum + some, 0)
}

interface RailReport extends Resolution {
  readonly raised: readonly Raised[]
}

async function askRail(deps: SettleDeps, charge: Charge): Promise<RailReport> {
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
  settling: Settling,
  asked: readonly RailReport[],
  onSettled: (charge: SettledCharge) => void,
): Promise<number> {
  let left: readonly Unresolved[] = asked.map(unresolved)
  let moved = 0
  const judging = { ...settling, alert: eachOnce(settling.alert) }
  for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
    const { judged, failed, later, nowMs } = await judgeAll(
      judging,
      left.map(({ resolution }) => resolution),
      round > 0,
    )
    for (const one of failed) await unlessRefused(() => recordFailure(settling, settling.db.writer, one))
    const planned = judged.flatMap(({ verdict, ...one }) =>
      verdict.kind === 'transition' ? [{ unresolved: one, transition: verdict.transition }] : [],
    )
    const reschedules = judged.flatMap(({ verdict }) =>
      verdict.kind === 'reschedule' ? [verdict.reschedule] : [],
    )
    const ends = await writePlanned(settling, planned, nowMs)
    await writeReschedules(settling, reschedules, nowMs)
    const written = planned.filter((_, n) => ends[n] === 'written')
    moved += written.length
    for (const { transition } of written) reportSettled(transition, onSettled)
    await releaseAll(
      settling,
      judged.filter(({ verdict: { kind } }) => kind === 'intent_gone' || kind === 'not_asked'),
    )
    const raced = planned.flatMap((one, n) => (ends[n] === 'raced' ? [one.unresolved] : []))
    left = [...raced, ...later.map(unresolved)]
  }
  await releaseAll(settling, left)
  return moved
}

/** Each round judges its charges anew, and mostly finds the same. An alert is logged and counted in the first one. */
function eachOnce(alert: Alert): Alert {
  const told = new Set<string>()
  return (...one) => {
    const key = JSON.stringify(one)
    if (told.has(key)) return
    told.add(key)
    alert(...one)
  }
}

function reportSettled({ charge }: Transition, onSettled: (charge: SettledCharge) => void): void {
  if (charge === null || charge.before.settledAtMs !== null || charge.after.settledAtMs === null) return
  const { rail, status, openedAtMs, requestId, settledAtMs } = charge.after
  onSettled({ rail, status, openedAtMs, requestId, settledAtMs })
}

interface Unresolved extends Unwritten {
  readonly resolution: RailReport
}

const unresolved = (resolution: RailReport): Unresolved => ({
  resolution,
  charge: resolution.charge,
  raised: resolution.raised,
})

interface Judged extends Unresolved {
  readonly verdict: Verdict
}

interface Read {
  readonly resolutions: readonly RailReport[]
  readonly intents: ReadonlyMap<PaymentIntentId, Intent>
  readonly invoices: ReadonlyMap<PaymentIntentId, Invoice>
}

async function read(deps: SettleDeps, asked: readonly RailReport[], isAgain: boolean): Promise<Read> {
  const { reader } = deps.db
  const fresh = isAgain ? await reload(deps, asked) : asked
  const intents = await loadIntents(
    reader,
    fresh.map(({ charge }) => charge),
  )
  const resolutions = await rereadPaid(deps, fresh, intents)
  const invoices = await loadInvoices(reader, intentsPayingInvoices(resolutions, intents))
  return { resolutions, intents, invoices }
}

/** Takes the time after all reads, so that no event is earlier than a change that it follows (spec 6.3.2). */
async function judgeAll(
  settling: Settling,
  asked: readonly RailReport[],
  isAgain: boolean,
): Promise<{ judged: Judged[]; failed: Failed[]; later: RailReport[]; nowMs: number }> {
  const { rails, alert } = settling
  const failed: Failed[] = []
  const parts = await readInHalves(
    asked,
    (some) => read(settling, some, isAgain),
    async ({ charge, raised }, error) => void failed.push({ charge, raised, error }),
  )
  const intents = new Map(parts.flatMap((part) => [...part.intents]))
  const invoices = new Map(parts.flatMap((part) => [...part.invoices]))
  const nowMs = settling.clock()
  const { now, later } = oneForEach(
    parts.flatMap(({ resolutions }) => resolutions),
    ({ intentId }) => intents.get(intentId)?.invoiceId ?? intentId,
  )
  const judged: Judged[] = []
  for (const resolution of now) {
    const { charge } = resolution
    const { raise, raised } = collectRaised(alert, charge.merchantId)
    try {
      const intent = intents.get(charge.intentId)
      const verdict = judge({ rails, raise }, resolution, intent, invoices.get(charge.intentId), nowMs)
      const all = [...resolution.raised, ...raised]
      judged.push({ resolution, charge, verdict: withAlerts(verdict, all), raised: all })
    } catch (error) {
      failed.push({ charge, raised: [...resolution.raised, ...raised], error })
    }
  }
  return { judged, failed, later, nowMs }
}

/**
 * Money for an intent that is paid is a duplicate, unless it is the money that paid it: another process may have recorded
 * it since the charge was read. So these charges are read again, after their intents.
 */
async function rereadPaid(
  deps: SettleDeps,
  resolutions: readonly RailReport[],
  intents: ReadonlyMap<PaymentIntentId, Intent>,
): Promise<readonly RailReport[]> {
  const isPaid = ({ charge, outcome }: Resolution) =>
    outcome.kind === 'succeeded' && intents.get(charge.intentId)?.status === 'succeeded'
  const paid = resolutions.filter(isPaid)
  if (paid.length === 0) return resolutions
  return [...resolutions.filter((resolution) => !isPaid(resolution)), ...(await reload(deps, paid))]
}

function withAlerts(verdict: Verdict, raised: readonly Raised[]): Verdict {
  switch (verdict.kind) {
    case 'transition':
      return { ...verdict, transition: { ...verdict.transition, raised } }
    case 'reschedule':
      return { ...verdict, reschedule: { ...verdict.reschedule, raised } }
    case 'intent_gone':
    case 'not_asked':
      return verdict
  }
}

interface Planned {
  readonly unresolved: Unresolved
  readonly transition: Transition
}

/**
 * raced: another writer changed or holds the charge, its intent or its invoice. refused: the database rejects the
 * row.
 */
type End = 'written' | 'raced' | 'refused'

const writePlanned = (settling: Settling, planned: readonly Planned[], nowMs: number): Promise<End[]> =>
  runBatchOfOwners<Planned, End>(planned, ({ unresolved }) => unresolved.charge.merchantId, {
    db: settling.db,
    write: async (some, { writer }) => {
      const transitions = some.map(({ transition }) => transition)
      const written = await writeTransitions(writer, transitions, nowMs, 'skip')
      return written.map((isWritten) => (isWritten ? 'written' : 'raced'))
    },
    ofRefused: (_, error) => (isOfWaiting(error) ? 'raced' : 'refused'),
    recordRefusal: async ({ unresolved: { charge, raised } }, error, { writer }) => {
      if (!isOfWaiting(error)) await recordFailure(settling, writer, { charge, raised, error })
    },
  })

const intentsPayingInvoices = (
  resolutions: readonly Resolution[],
  intents: ReadonlyMap<PaymentIntentId, Intent>,
): Intent[] =>
  resolutions.flatMap(({ charge, outcome }) => {
    const intent = outcome.kind === 'succeeded' ? intents.get(charge.intentId) : undefined
    return intent === undefined || intent.invoiceId === null ? [] : [intent]
  })

/** Two charges of one intent or invoice cannot move in one statement, because each needs the result of the other. */
function oneForEach(resolutions: readonly RailReport[], keyOf: (charge: Charge) => string) {
  const seen = new Set<string>()
  const now: RailReport[] = []
  const later: RailReport[] = []
  for (const resolution of resolutions) {
    const key = keyOf(resolution.charge)
    if (seen.has(key)) later.push(resolution)
    else now.push(resolution)
    seen.add(key)
  }
  return { now, later }
}

async function reload({ db }: SettleDeps, resolutions: readonly RailReport[]): Promise<RailReport[]> {
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
