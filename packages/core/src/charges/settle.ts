import { sqlState } from '@merchant-payments/db'
import type { Deps } from '../deps.ts'
import type { PaymentIntentId } from '../ids.ts'
import type { Intent } from '../payment-intents/intent.ts'
import type { Decline, QueryOutcome, RailAdapter } from '../rails/port.ts'
import { type Transition, writeTransitions } from '../transitions.ts'
import { LEASE_MS } from '../work/claim.ts'
import { type Charge, moveCharge } from './charge.ts'
import { NOT_FOUND_ANSWERS_MIN, NOT_FOUND_SPAN_MS, nextQuery } from './ladder.ts'
import { planAcknowledged, planFailure, planSuccess } from './plan.ts'
import { claimCharges, loadIntents, reloadCharges, type Reschedule, rescheduleCharges } from './store.ts'

type SettleDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>

/** Charges of one pass, asked for side by side. */
export const SETTLE_BATCH_MAX = 100
/** Each round meets other writers of the same intents; what is left after the last waits for its lease to end. */
const ROUNDS_MAX = 4

/** What a rail said of a charge. */
interface Resolution {
  readonly charge: Charge
  readonly outcome: QueryOutcome
}

/** What follows from it: a transition, or only a later query. */
type Verdict = { readonly transition: Transition } | { readonly reschedule: Reschedule }

export interface SettleReport {
  readonly claimed: number
  readonly moved: number
}

/**
 * One pass: leases charges that are due, asks their rails, and writes what follows, a batch in one statement. The one
 * way in which a charge is ever resolved; it never submits again.
 */
export async function settleCharges(deps: SettleDeps, limit = SETTLE_BATCH_MAX): Promise<SettleReport> {
  const nowMs = deps.clock()
  const leaseUntilMs = nowMs + LEASE_MS
  const charges = await claimCharges(deps.db.writer, { nowMs, limit, leaseUntilMs })
  if (charges.length === 0) return { claimed: 0, moved: 0 }
  deps.fault('settle.claimed')
  const resolutions = await Promise.all(charges.map((charge) => askRail(deps, charge)))
  deps.fault('settle.rail_answered')
  const moved = await record(deps, resolutions, leaseUntilMs)
  deps.fault('settle.committed')
  return { claimed: charges.length, moved }
}

async function askRail({ rails, alert }: SettleDeps, charge: Charge): Promise<Resolution> {
  const rail = rails.get(charge.rail)
  // A rail that left the configuration can still be asked for once it is back: nothing is concluded without it.
  if (rail === undefined) return { charge, outcome: unavailable }
  if (isLostHarmlessly(charge, rail)) return { charge, outcome: lost }
  try {
    return { charge, outcome: await rail.queryCharge(charge) }
  } catch (error) {
    // An adapter never throws; one that does must not hold up the charges of the same batch, again and again.
    alert('rail_adapter_fault', { charge: charge.id, rail: charge.rail, error: nameOf(error) })
    return { charge, outcome: unavailable }
  }
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error)

const evidence = { operation: 'query', httpStatus: null, railCode: null, errno: null, elapsedMs: 0 } as const
const unavailable: QueryOutcome = { kind: 'unavailable', evidence }
const lost: QueryOutcome = { kind: 'not_found' }

/** A submit whose answer was lost together with the only way to pay: nothing to ask for. */
const isLostHarmlessly = (charge: Charge, { capabilities }: RailAdapter): boolean =>
  charge.status === 'submitting' && capabilities.lostSubmitIsHarmless && charge.railToken === null

async function record(
  deps: SettleDeps,
  resolutions: readonly Resolution[],
  leaseUntilMs: number,
): Promise<number> {
  let left: readonly Resolution[] = resolutions
  let moved = 0
  for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
    const nowMs = deps.clock()
    const fresh = round === 0 ? left : await reload(deps, left)
    const intents = await loadIntents(
      deps.db.reader,
      fresh.map(({ charge }) => charge),
    )
    const { now, later } = oneForEachIntent(fresh)
    const verdicts = now.flatMap((resolution) =>
      judge(deps, resolution, intents.get(resolution.charge.intentId), nowMs),
    )
    const reschedules = verdicts.flatMap((verdict) => ('reschedule' in verdict ? [verdict.reschedule] : []))
    const transitions = verdicts.flatMap((verdict) => ('transition' in verdict ? [verdict.transition] : []))
    await rescheduleCharges(deps.db.writer, reschedules, leaseUntilMs, nowMs)
    const written = transitions.length === 0 ? [] : await write(deps, transitions, nowMs)
    moved += written.filter(Boolean).length
    const raced = new Set(
      transitions.filter((_, n) => written[n] === false).map(({ charge }) => charge?.before.id),
    )
    left = [...now.filter(({ charge }) => raced.has(charge.id)), ...later]
  }
  return moved
}

/**
 * Writes a batch. A transition that the database refuses for what is in it must not hold up the others, again and again.
 *
 * @returns for each transition, in order, whether it was written; null when it was refused
 */
async function write(
  deps: SettleDeps,
  transitions: readonly Transition[],
  nowMs: number,
): Promise<(boolean | null)[]> {
  try {
    return await writeTransitions(deps.db.writer, transitions, nowMs)
  } catch (error) {
    const state = sqlState(error)
    if (state === null || !refusedForItsContents.test(state)) throw error
    const [{ charge } = { charge: null }, ...others] = transitions
    if (others.length > 0) {
      const written: (boolean | null)[] = []
      for (const transition of transitions) written.push(...(await write(deps, [transition], nowMs)))
      return written
    }
    const { id = null, rail = null } = charge?.before ?? {}
    deps.alert('rail_adapter_fault', { charge: id, rail, error: state })
    return [null]
  }
}

/** SQLSTATE classes of data exceptions and of broken constraints. */
const refusedForItsContents = /^2[23]/

/** Two charges of one intent cannot move in one statement: each needs the intent as the other leaves it. */
function oneForEachIntent(resolutions: readonly Resolution[]) {
  const seen = new Set<PaymentIntentId>()
  const now: Resolution[] = []
  const later: Resolution[] = []
  for (const resolution of resolutions) {
    const taken = seen.has(resolution.charge.intentId)
    if (taken) later.push(resolution)
    else now.push(resolution)
    seen.add(resolution.charge.intentId)
  }
  return { now, later }
}

async function reload({ db }: SettleDeps, resolutions: readonly Resolution[]): Promise<Resolution[]> {
  const charges = await reloadCharges(
    db.reader,
    resolutions.map(({ charge }) => charge),
  )
  const byId = new Map(charges.map((charge) => [charge.id, charge]))
  return resolutions.flatMap(({ charge, outcome }) => {
    const found = byId.get(charge.id)
    return found === undefined ? [] : [{ charge: found, outcome }]
  })
}

function judge(
  deps: SettleDeps,
  { charge: read, outcome }: Resolution,
  intent: Intent | undefined,
  nowMs: number,
): Verdict[] {
  const charge: Charge = { ...read, lastQueryAtMs: nowMs }
  if (intent === undefined || charge.status === 'succeeded' || charge.status === 'duplicate') return []
  const rail = deps.rails.get(charge.rail)
  const later = (): Verdict[] => [{ reschedule: reschedule(deps, charge, nowMs) }]
  const transition = (plan: Omit<Transition, 'key'>): Verdict[] => [{ transition: { ...plan, key: null } }]
  switch (outcome.kind) {
    case 'succeeded':
      if (isMismatch(charge, outcome)) {
        deps.alert('charge_amount_mismatch', { charge: charge.id, rail: charge.rail })
        return later()
      }
      if (intent.status === 'succeeded')
        deps.alert('charge_duplicate_success', { charge: charge.id, rail: charge.rail })
      return transition(planSuccess(charge, intent, outcome.railTxnId, nowMs))
    case 'failed':
      if (charge.status === 'failed' || charge.status === 'abandoned') return later()
      return transition(planFailure(charge, intent, outcome.decline, nowMs))
    case 'pending':
    case 'unknown_status':
      if (outcome.kind === 'unknown_status') {
        deps.alert('rail_unknown_status', { charge: charge.id, rail: charge.rail, status: outcome.status })
      }
      if (rail === undefined || (charge.status !== 'submitting' && charge.status !== 'unconfirmed'))
        return later()
      return transition(planAcknowledged(charge, intent, rail.capabilities.firstQueryAfterMs, nowMs))
    case 'not_found':
      return judgeNotFound(deps, charge, intent, nowMs)
    case 'unavailable':
      return later()
  }
}

/** A success of another amount or currency settles nothing. */
const isMismatch = (
  charge: Charge,
  { amountMinor, currency }: QueryOutcome & { kind: 'succeeded' },
): boolean =>
  (amountMinor !== null && amountMinor !== charge.amountMinor) ||
  (currency !== null && currency !== charge.currency)

const notAccepted: Decline = { code: 'not_accepted', actor: 'rail', railCode: null, railMessage: null }

/** Not-found ends a charge only if its submit was never acknowledged, and only after it was said often and long enough. */
function judgeNotFound(deps: SettleDeps, charge: Charge, intent: Intent, nowMs: number): Verdict[] {
  const rail = deps.rails.get(charge.rail)
  if (charge.status === 'submitting' && rail !== undefined && isLostHarmlessly(charge, rail)) {
    return [
      { transition: { intent, charge: moveCharge(charge, 'abandon', { watched: false }, nowMs), key: null } },
    ]
  }
  const unacknowledged = charge.status === 'submitting' || charge.status === 'unconfirmed'
  if (!unacknowledged) {
    if (charge.status === 'live') deps.alert('charge_vanished', { charge: charge.id, rail: charge.rail })
    return [{ reschedule: reschedule(deps, charge, nowMs) }]
  }
  const notFoundCount = charge.notFoundCount + 1
  const longEnough = nowMs - charge.submitDeadlineMs >= NOT_FOUND_SPAN_MS
  if (notFoundCount >= NOT_FOUND_ANSWERS_MIN && longEnough) {
    return [{ transition: { ...planFailure(charge, intent, notAccepted, nowMs), key: null } }]
  }
  return [{ reschedule: { ...reschedule(deps, charge, nowMs), notFoundCount } }]
}

function reschedule(deps: SettleDeps, charge: Charge, nowMs: number): Reschedule {
  const windowMs = deps.rails.get(charge.rail)?.capabilities.approvalWindowMs ?? 0
  const { nextQueryAtMs, queryRung, stuck } = nextQuery(charge, windowMs, nowMs)
  if (stuck) deps.alert('charge_stuck', { charge: charge.id, rail: charge.rail })
  return { charge, nextQueryAtMs, queryRung, notFoundCount: charge.notFoundCount }
}
