import { classOf } from '../base/reason-of.ts'
import type { Raise, RaisedAlerts } from '../base/raised.ts'
import { sendDeadlineOf } from '../rails/deadlines.ts'
import { alertIfMisconfigured, alertIfRefusedAsOurs } from '../rails/misconfigured.ts'
import {
  noEvidence,
  type QueryOutcome,
  type RailEvidence,
  type RailRefunds,
  type RefundOutcome,
} from '../rails/port.ts'
import { isOtherMoney, reportedFacts, reportedOf } from '../rails/reported.ts'
import type { Payout, PayoutKey } from './payout.ts'

type CallDeps = Pick<RaisedAlerts, 'raise'>

/** Never rejects. */
export async function sendPayout(
  { raise }: CallDeps,
  refunds: RailRefunds,
  payout: Payout,
  committedAtMs: number,
): Promise<RefundOutcome> {
  const { reference, merchantId, id: object, amountMinor, currency, destination } = payout
  if (destination === null) return { kind: 'not_sent', evidence: noEvidence('refund') }
  const deadlineMs = sendDeadlineOf(committedAtMs)
  try {
    const money = { amountMinor, currency, destination }
    const outcome = await refunds.submitRefund({ reference, merchantId, object, ...money, deadlineMs })
    alertIfRefusedAsOurs(raise, outcome, factsOf(payout))
    return outcome
  } catch (error) {
    return { kind: 'unknown', evidence: faultOf(raise, payout, 'refund', error) }
  }
}

/** Never rejects. */
export async function askPayout(
  { raise }: CallDeps,
  refunds: RailRefunds,
  payout: Payout,
): Promise<QueryOutcome> {
  try {
    const outcome = await refunds.queryRefund(payout.reference)
    if (outcome.kind === 'unknown_status') {
      raise('rail_unknown_status', { ...factsOf(payout), status: outcome.status })
    }
    // The money has moved and the rail is not queried again, so only a person can resolve the difference.
    if (outcome.kind === 'succeeded' && isOtherMoney(payout, outcome)) {
      raise('refund_amount_mismatch', { ...factsOf(payout), ...reportedFacts(reportedOf(outcome)) })
    }
    // The watch of a refused payout gets the same failure again and again.
    const isNew = payout.instruction !== 'refused'
    if (outcome.kind === 'failed' && isNew) alertIfMisconfigured(raise, outcome.decline, factsOf(payout))
    return outcome
  } catch (error) {
    return { kind: 'unavailable', evidence: faultOf(raise, payout, 'query_refund', error) }
  }
}

export const factsOf = ({ id, rail }: PayoutKey) =>
  id.startsWith('re_') ? { rail, refund: id } : { rail, charge_return: id }

/** An adapter must never throw. An exception proves nothing about the payout. */
function faultOf(
  raise: Raise,
  payout: Payout,
  operation: RailEvidence['operation'],
  error: unknown,
): RailEvidence {
  raise('rail_adapter_fault', { ...factsOf(payout), error: classOf(error) })
  return noEvidence(operation)
}
