import type { Alert } from '../base/alerts.ts'
import { type ForRequest, untraced } from '../base/for-request.ts'
import type { PaymentIntentId } from '../base/ids.ts'
import { collectRaised, type Raise, type Raised } from '../base/raised.ts'
import { classOf } from '../base/reason-of.ts'
import { isOfWaiting } from '../base/refused-statements.ts'
import type { Charge } from '../charges/charge.ts'
import { claimCharges, reloadCharges } from '../charges/store.ts'
import { RACES_MAX } from '../commit/until-written.ts'
import type { Invoice } from '../invoices/invoice.ts'
import { loadInvoices } from '../invoices/store.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { loadIntents } from '../payment-intents/store.ts'
import type { Transition } from '../payment-intents/transition.ts'
import { writeTransitions } from '../payment-intents/transitions.ts'
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
import { cannotBeAsked, isLostHarmlessly, judge, type RailReport, type Verdict } from './judge-outcome.ts'
import { ruled, underRuling } from './ruling.ts'

export const SETTLE_BATCH_MAX = 100

/** Groups charges by rail, so that each part is settled when its own rail has answered. */
export async function claimDueCharges(
  deps: SettleDeps,
  { limit, leftOut = [], lost, floors }: Room,
): Promise<RailPart<Charge>[]> {
  const { writer } = deps.db
  const known = knownRails(deps.rails)
  const { claimed: charges, leaseUntilMs } = await claimLeased(writer, deps.clock, {
    jobs: 'charge_jobs',
    lost,
    claim: (order) =>
      claimCharges(writer, { ...order, limit, floors }, { known, leftOut }, (charge, error) =>
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
  if (cannotBeAsked(charge, rail)) return unavailable
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
  let left = asked
  let unwritten: readonly Unwritten[] = asked
  let moved = 0
  const judging = { ...settling, alert: eachOnce(settling.alert) }
  for (let round = 0; round < RACES_MAX && left.length > 0; round += 1) {
    const { judged, failed, later, nowMs } = await judgeAll(judging, left, round > 0)
    for (const one of failed) await unlessRefused(() => recordFailure(settling, settling.db.writer, one))
    const planned = judged.filter((one): one is Planned => one.verdict.kind === 'transition')
    const reschedules = judged.flatMap(({ verdict }) =>
      verdict.kind === 'reschedule' ? [verdict.reschedule] : [],
    )
    const ends = await writePlanned(settling, planned, nowMs)
    await writeReschedules(settling, reschedules, nowMs)
    const written = planned.filter((_, n) => ends[n] === 'written')
    moved += written.length
    for (const { verdict } of written) reportSettled(verdict.transition, onSettled)
    await releaseAll(
      settling,
      judged.filter(({ verdict: { kind } }) => kind === 'intent_gone' || kind === 'not_asked'),
    )
    const raced = planned.filter((_, n) => ends[n] === 'raced')
    left = [...raced.map(({ report }) => report), ...later]
    unwritten = [...raced, ...later]
  }
  // They are queried again later.
  await releaseAll(settling, unwritten)
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

interface Read {
  readonly report: RailReport
  readonly intent: Intent | undefined
  /** If the report is of a success that pays it. */
  readonly invoice: Invoice | undefined
}

/** Its alerts are those of the report and of this judgement. */
interface Judged extends Unwritten {
  readonly report: RailReport
  readonly verdict: Verdict
}

type Planned = Judged & { readonly verdict: { readonly kind: 'transition' } }

async function read(
  deps: SettleDeps,
  asked: readonly RailReport[],
  isAgain: boolean,
): Promise<readonly Read[]> {
  const { reader } = deps.db
  const fresh = isAgain ? await reload(deps, asked) : asked
  const intents = await loadIntents(
    reader,
    fresh.map(({ charge }) => charge),
  )
  const reports = await rereadPaid(deps, fresh, intents)
  const invoices = await loadInvoices(reader, intentsPayingInvoices(reports, intents))
  return reports.map((report) => {
    const { intentId } = report.charge
    return { report, intent: intents.get(intentId), invoice: invoices.get(intentId) }
  })
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
  const nowMs = settling.clock()
  const { now, later } = oneForEach(parts.flat())
  const judged: Judged[] = []
  for (const { report, intent, invoice } of now) {
    const { charge } = report
    const { raise, raised } = collectRaised(alert, charge.merchantId)
    try {
      const verdict = judge({ rails, raise }, report, intent, invoice, nowMs)
      const all = [...report.raised, ...raised]
      judged.push({ report, charge, raised: all, verdict: withAlerts(verdict, all) })
    } catch (error) {
      failed.push({ charge, raised: [...report.raised, ...raised], error })
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
  reports: readonly RailReport[],
  intents: ReadonlyMap<PaymentIntentId, Intent>,
): Promise<readonly RailReport[]> {
  const isPaid = ({ charge, outcome }: RailReport) =>
    outcome.kind === 'succeeded' && intents.get(charge.intentId)?.status === 'succeeded'
  const paid = reports.filter(isPaid)
  if (paid.length === 0) return reports
  return [...reports.filter((report) => !isPaid(report)), ...(await reload(deps, paid))]
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

/**
 * raced: another writer changed or holds the charge, its intent or its invoice. refused: the database rejects the
 * row.
 */
type End = 'written' | 'raced' | 'refused'

const writePlanned = (settling: Settling, planned: readonly Planned[], nowMs: number): Promise<End[]> =>
  runBatchOfOwners<Planned, End>(planned, ({ charge }) => charge.merchantId, {
    db: settling.db,
    write: async (some, { writer }) => {
      const transitions = some.map(({ verdict }) => verdict.transition)
      const written = await writeTransitions(writer, transitions, nowMs, 'skip')
      return written.map((isWritten) => (isWritten ? 'written' : 'raced'))
    },
    ofRefused: (_, error) => (isOfWaiting(error) ? 'raced' : 'refused'),
    recordRefusal: async ({ charge, raised }, error, { writer }) => {
      if (!isOfWaiting(error)) await recordFailure(settling, writer, { charge, raised, error })
    },
  })

const intentsPayingInvoices = (
  reports: readonly RailReport[],
  intents: ReadonlyMap<PaymentIntentId, Intent>,
): Intent[] =>
  reports.flatMap(({ charge, outcome }) => {
    const intent = outcome.kind === 'succeeded' ? intents.get(charge.intentId) : undefined
    return intent === undefined || intent.invoiceId === null ? [] : [intent]
  })

/** Two charges of one intent or invoice cannot move in one statement, because each needs the result of the other. */
function oneForEach(reads: readonly Read[]): { now: Read[]; later: RailReport[] } {
  const seen = new Set<string>()
  const now: Read[] = []
  const later: RailReport[] = []
  for (const one of reads) {
    const key = one.intent?.invoiceId ?? one.report.charge.intentId
    if (seen.has(key)) later.push(one.report)
    else now.push(one)
    seen.add(key)
  }
  return { now, later }
}

async function reload({ db }: SettleDeps, reports: readonly RailReport[]): Promise<RailReport[]> {
  const charges = await reloadCharges(
    db.reader,
    reports.map(({ charge }) => charge),
  )
  const byId = new Map(charges.map((charge) => [charge.id, charge]))
  return reports.flatMap(({ charge, outcome, raised }) => {
    const found = byId.get(charge.id)
    // An operator can rule on the charge while the rail is being queried.
    return found === undefined ? [] : [{ charge: found, outcome: underRuling(found, outcome), raised }]
  })
}
