import type { RaisedAlerts } from '../base/raised.ts'
import type { Deps } from '../deps.ts'
import { type Invoice, type InvoiceChange, planPaid } from '../invoices/invoice.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { alertIfMisconfigured } from '../rails/misconfigured.ts'
import type { Decline, QueryOutcome, RailAdapter } from '../rails/port.ts'
import { isOtherMoney, type Reported, reportedFacts, reportedOf } from '../rails/reported.ts'
import type { Transition } from '../payment-intents/transition.ts'
import { type Charge, moveCharge } from '../charges/charge.ts'
import {
  type AtRail,
  isEnded,
  NOT_FOUND_ANSWERS_MIN,
  NOT_FOUND_SPAN_MS,
  nextQuery,
  type NextQuery,
  waitsForRuling,
} from '../charges/ladder.ts'
import { planAcknowledged, planFailure, planSuccess } from '../payment-intents/plan-charge.ts'
import type { Reschedule } from '../charges/store.ts'
import type { Unwritten } from './jobs.ts'

type JudgeDeps = Pick<Deps, 'rails'> & Pick<RaisedAlerts, 'raise'>

/** What the rail, or an operator, says of a charge. */
export interface RailReport extends Unwritten {
  readonly outcome: QueryOutcome
}

export type Verdict =
  | { readonly kind: 'transition'; readonly transition: Transition }
  | { readonly kind: 'reschedule'; readonly reschedule: Reschedule }
  /** Another process removed the intent after the charge was claimed. */
  | { readonly kind: 'intent_gone' }
  | { readonly kind: 'not_asked' }

/** The table of docs/spec-gaps.md. Writes nothing, and alerts operators of anomalies. */
export function judge(
  deps: JudgeDeps,
  { charge, outcome }: Pick<RailReport, 'charge' | 'outcome'>,
  intent: Intent | undefined,
  invoice: Invoice | undefined,
  nowMs: number,
): Verdict {
  if (intent === undefined) return { kind: 'intent_gone' }
  if (charge.status === 'succeeded' || charge.status === 'duplicate') return over(charge)
  const rail = deps.rails.get(charge.rail)
  const facts = { charge: charge.id, rail: charge.rail }
  const later = (atRail: AtRail = 'open'): Verdict =>
    reschedule(deps, charge, nextQueryOf(deps, charge, nowMs, atRail))
  switch (outcome.kind) {
    case 'succeeded':
      if (isOtherMoney(charge, outcome)) return judgeMismatch(deps, charge, reportedOf(outcome), nowMs)
      if (intent.status === 'succeeded') deps.raise('charge_duplicate_success', facts)
      return move(
        {
          ...planSuccess(charge, intent, outcome.railTxnId, nowMs),
          invoice: settleInvoice(deps, charge, intent, invoice, nowMs),
        },
        nowMs,
      )
    case 'failed':
      if (isEnded(charge)) return later('closed')
      alertIfMisconfigured(deps.raise, outcome.decline, facts)
      return move(planFailure(charge, intent, outcome.decline, nowMs), nowMs)
    case 'unknown_status':
      // The rail has the charge, so earlier not-found answers no longer count. Its word moves no state.
      deps.raise('rail_unknown_status', { ...facts, status: outcome.status }, charge.lastQueryAtMs)
      return reschedule(deps, { ...charge, notFoundCount: 0 }, nextQueryOf(deps, charge, nowMs, 'open'))
    case 'pending':
      if (rail === undefined || (charge.status !== 'submitting' && charge.status !== 'unconfirmed'))
        return later()
      return move(planAcknowledged(charge, intent, rail.capabilities.firstQueryAfterMs, nowMs), nowMs)
    case 'not_found':
      return judgeNotFound(deps, charge, intent, nowMs)
    case 'unavailable':
      return judgeUnanswered(deps, charge, nowMs)
    case 'held_back':
      return { kind: 'not_asked' }
  }
}

/**
 * Money for an invoice that can no longer be paid needs staff, as a charge that is paid twice does. If this intent itself
 * has paid the invoice, the intent was read before that. Its revision then refuses the plan, and it is planned again.
 */
function settleInvoice(
  { raise }: JudgeDeps,
  charge: Charge,
  intent: Intent,
  invoice: Invoice | undefined,
  nowMs: number,
): InvoiceChange | null {
  if (invoice === undefined || intent.status === 'succeeded') return null
  const paid = planPaid(invoice, intent, nowMs)
  const isPaidByIntent = invoice.status === 'paid' && invoice.intentId === intent.id
  if (paid === null && !isPaidByIntent)
    raise('invoice_paid_twice', { invoice: invoice.id, charge: charge.id, rail: charge.rail })
  return paid
}

/** Settles nothing. A person who has ruled on the same report has closed the charge. */
function judgeMismatch(deps: JudgeDeps, charge: Charge, reported: Reported, nowMs: number): Verdict {
  const facts = { charge: charge.id, rail: charge.rail, ...reportedFacts(reported) }
  deps.raise('charge_amount_mismatch', facts, charge.lastQueryAtMs)
  const { amountMinor, currency } = reported
  const { report } = charge
  const isSame = report !== null && report.amountMinor === amountMinor && report.currency === currency
  const known = isSame ? report : { amountMinor, currency, isRuled: false }
  const next = nextQueryOf(deps, { ...charge, report: known }, nowMs, known.isRuled ? 'closed' : 'open')
  // The rail has the charge, so earlier not-found answers no longer count.
  return reschedule(deps, { ...charge, notFoundCount: 0 }, next, reported)
}

/**
 * The rail answers for its token alone, which was lost with the answer to the submit. Only a restore leaves such a charge
 * open, and only the operator's statement tells whether it was paid.
 */
export const cannotBeAsked = (charge: Charge, { capabilities }: RailAdapter): boolean =>
  capabilities.queriedBy === 'token' && charge.railToken === null

/** A charge that waits for a person alone is reported from its first slow rung on, and not only past its ladder. */
function judgeUnanswered(deps: JudgeDeps, charge: Charge, nowMs: number): Verdict {
  const rail = deps.rails.get(charge.rail)
  const next = nextQueryOf(deps, charge, nowMs, 'open')
  const waits = rail !== undefined && cannotBeAsked(charge, rail) && next.slowing
  return reschedule(deps, charge, { ...next, stuck: next.stuck || waits })
}

/** The payer never got a way to pay, so there is nothing to query. */
export const isLostHarmlessly = (charge: Charge, { capabilities }: RailAdapter): boolean =>
  (charge.status === 'submitting' || isEnded(charge)) &&
  capabilities.lostSubmitIsHarmless &&
  charge.railToken === null

/** Further answers add nothing: from here on, the elapsed time decides. */
const NOT_FOUND_COUNTED_MAX = 100

const notAccepted: Decline = { code: 'not_accepted', actor: 'rail', railCode: null, railMessage: null }

/**
 * Not-found fails a charge only if its submit was never acknowledged, and only after enough answers over enough time. It
 * fails none while a report of other money waits for a person, because the payer has paid and would be prompted again.
 */
function judgeNotFound(deps: JudgeDeps, charge: Charge, intent: Intent, nowMs: number): Verdict {
  const rail = deps.rails.get(charge.rail)
  if (charge.status === 'submitting' && rail !== undefined && isLostHarmlessly(charge, rail)) {
    const abandoned = moveCharge(charge, 'abandon', { watched: false }, nowMs)
    return move({ intent, change: null, charge: abandoned }, nowMs)
  }
  const next = nextQueryOf(deps, charge, nowMs, 'closed')
  if (charge.status !== 'submitting' && charge.status !== 'unconfirmed') {
    // A wallet may show a charge a little late, so the alert comes only if the charge is still missing on a slower rung.
    if (charge.status === 'live' && next.slowing)
      deps.raise('charge_vanished', { charge: charge.id, rail: charge.rail })
    return reschedule(deps, charge, next)
  }
  if (waitsForRuling(charge)) return reschedule(deps, charge, next)
  const notFoundCount = Math.min(charge.notFoundCount + 1, NOT_FOUND_COUNTED_MAX)
  const longEnough = nowMs - charge.submitDeadlineMs >= NOT_FOUND_SPAN_MS
  if (notFoundCount >= NOT_FOUND_ANSWERS_MIN && longEnough)
    return move(planFailure(charge, intent, notAccepted, nowMs), nowMs)
  return reschedule(deps, { ...charge, notFoundCount }, next)
}

const move = (plan: Omit<Transition, 'key'>, nowMs: number): Verdict => {
  const charge = plan.charge && { ...plan.charge, after: { ...plan.charge.after, lastQueryAtMs: nowMs } }
  return { kind: 'transition', transition: { ...plan, charge, key: null } }
}

/** Another writer has recorded the money, so the charge is no longer queried. */
const over = (charge: Charge): Verdict => ({
  kind: 'reschedule',
  reschedule: {
    charge,
    nextQueryAtMs: null,
    queryRung: charge.queryRung,
    notFoundCount: charge.notFoundCount,
    reported: null,
  },
})

const nextQueryOf = ({ rails }: JudgeDeps, charge: Charge, nowMs: number, atRail: AtRail): NextQuery =>
  nextQuery(charge, rails.get(charge.rail)?.capabilities.approvalWindowMs ?? 0, nowMs, atRail)

function reschedule(
  { raise }: JudgeDeps,
  charge: Charge,
  next: NextQuery,
  reported: Reported | null = null,
): Verdict {
  const { nextQueryAtMs, queryRung, stuck } = next
  if (stuck) raise('charge_stuck', { charge: charge.id, rail: charge.rail })
  return {
    kind: 'reschedule',
    reschedule: { charge, nextQueryAtMs, queryRung, notFoundCount: charge.notFoundCount, reported },
  }
}
