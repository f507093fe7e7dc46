import { sqlState } from '@merchant-payments/db'
import type { Deps } from '../deps.ts'
import type { PaymentIntentId } from '../ids.ts'
import { loadInvoices } from '../invoices/store.ts'
import type { Intent } from '../payment-intents/intent.ts'
import type { QueryOutcome } from '../rails/port.ts'
import { type Transition, writeTransitions } from '../transitions.ts'
import { LEASE_MS } from '../work/claim.ts'
import { partsByRail, type RailPart, workOnParts } from '../work/rail-parts.ts'
import type { Charge } from './charge.ts'
import { isLostHarmlessly, judge, type Resolution } from './judge.ts'
import { ruled } from './ruling.ts'
import { claimCharges, loadIntents, reloadCharges, rescheduleCharges } from './store.ts'

type SettleDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'alert' | 'fault'>

/** Charges of one pass, asked for side by side. */
export const SETTLE_BATCH_MAX = 100
/** Each round meets other writers of the same intents; what is left after the last waits for its lease to end. */
const ROUNDS_MAX = 4

export interface SettleReport {
  readonly claimed: number
  readonly moved: number
}

/**
 * One pass: leases charges that are due, asks their rails, and writes what follows, a rail's part in one statement. The
 * one way in which a charge is ever resolved; it never submits again.
 */
export async function settleCharges(deps: SettleDeps, limit = SETTLE_BATCH_MAX): Promise<SettleReport> {
  return workOnParts(await claimDueCharges(deps, limit), (part) => settlePart(deps, part))
}

/** Leases charges that are due, but for those of busy rails, and parts them by rail: each is settled when its own has answered. */
export async function claimDueCharges(
  deps: Pick<SettleDeps, 'db' | 'clock' | 'fault'>,
  limit: number,
  busy: readonly string[] = [],
): Promise<RailPart<Charge>[]> {
  const nowMs = deps.clock()
  const leaseUntilMs = nowMs + LEASE_MS
  const charges = await claimCharges(deps.db.writer, { nowMs, limit, leaseUntilMs }, busy)
  if (charges.length > 0) deps.fault('settle.claimed')
  return partsByRail(charges, leaseUntilMs)
}

/** @returns how many charges moved */
export async function settlePart(
  deps: SettleDeps,
  { items, leaseUntilMs }: RailPart<Charge>,
): Promise<number> {
  const resolutions = await Promise.all(items.map((charge) => askRail(deps, charge)))
  deps.fault('settle.rail_answered')
  const moved = await record(deps, resolutions, leaseUntilMs)
  deps.fault('settle.committed')
  return moved
}

async function askRail({ rails, alert }: SettleDeps, charge: Charge): Promise<Resolution> {
  const ruling = ruled(charge)
  if (ruling !== null) return { charge, outcome: ruling }
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
    const invoices = await loadInvoices(deps.db.reader, billsPaid(fresh, intents))
    const { now, later } = oneForEach(fresh, ({ intentId }) => intents.get(intentId)?.invoiceId ?? intentId)
    const verdicts = now
      .map((resolution) => {
        const { intentId } = resolution.charge
        return judge(deps, resolution, intents.get(intentId), invoices.get(intentId), nowMs)
      })
      .filter((verdict) => verdict !== null)
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

/** The intents whose success may pay an invoice. */
const billsPaid = (resolutions: readonly Resolution[], intents: Map<PaymentIntentId, Intent>): Intent[] =>
  resolutions.flatMap(({ charge, outcome }) => {
    const intent = outcome.kind === 'succeeded' ? intents.get(charge.intentId) : undefined
    return intent === undefined || intent.invoiceId === null ? [] : [intent]
  })

/** Two charges of one intent, or of one invoice, cannot move in one statement: each needs it as the other leaves it. */
function oneForEach(resolutions: readonly Resolution[], keyOf: (charge: Charge) => string) {
  const seen = new Set<string>()
  const now: Resolution[] = []
  const later: Resolution[] = []
  for (const resolution of resolutions) {
    const key = keyOf(resolution.charge)
    if (seen.has(key)) later.push(resolution)
    else now.push(resolution)
    seen.add(key)
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
