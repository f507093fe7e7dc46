import type { Deps } from '../deps.ts'
import { tellIfOurs } from '../rails/misconfigured.ts'
import type { QueryOutcome, RailAdapter, RailEvidence, RailRefunds, RefundOutcome } from '../rails/port.ts'
import type { Refund } from './refund.ts'

type CallDeps = Pick<Deps, 'alert'>

/** Between a commit and its sending: a process that stalls longer does not send at all. */
const SEND_WITHIN_MS = 5_000

/** From here on no try that was committed now can be sent, or answered. */
export const submitDeadlineOf = (rail: RailAdapter, committedAtMs: number): number =>
  committedAtMs + SEND_WITHIN_MS + rail.submitTimeoutMs

/** Instructs the rail, once. Never rejects. */
export async function sendRefund(
  { alert }: CallDeps,
  refunds: RailRefunds,
  refund: Refund<'pending'>,
  committedAtMs: number,
): Promise<RefundOutcome> {
  const { reference, amountMinor, currency, destination } = refund
  if (destination === null) return { kind: 'not_sent', evidence: evidenceOf('refund') }
  const deadlineMs = committedAtMs + SEND_WITHIN_MS
  try {
    const outcome = await refunds.submitRefund({ reference, amountMinor, currency, destination, deadlineMs })
    if (outcome.kind === 'declined') tellIfOurs(alert, outcome.decline, factsOf(refund))
    return outcome
  } catch (error) {
    return { kind: 'unknown', evidence: faultOf(alert, refund, 'refund', error) }
  }
}

/** Asks the rail what it has. Never rejects. */
export async function askRefund(
  { alert }: CallDeps,
  refunds: RailRefunds,
  refund: Refund<'pending'>,
): Promise<QueryOutcome> {
  try {
    const outcome = await refunds.queryRefund(refund.reference)
    if (outcome.kind === 'unknown_status') {
      alert('rail_unknown_status', { ...factsOf(refund), status: outcome.status })
    }
    if (outcome.kind === 'failed') tellIfOurs(alert, outcome.decline, factsOf(refund))
    return outcome
  } catch (error) {
    return { kind: 'unavailable', evidence: faultOf(alert, refund, 'query_refund', error) }
  }
}

const factsOf = ({ id, rail }: Refund) => ({ rail, refund: id })

/** An adapter never throws; one that does proves nothing. */
function faultOf(
  alert: Deps['alert'],
  refund: Refund,
  operation: RailEvidence['operation'],
  error: unknown,
): RailEvidence {
  alert('rail_adapter_fault', {
    ...factsOf(refund),
    error: error instanceof Error ? error.name : typeof error,
  })
  return evidenceOf(operation)
}

const evidenceOf = (operation: RailEvidence['operation']): RailEvidence => ({
  operation,
  httpStatus: null,
  railCode: null,
  errno: null,
  elapsedMs: 0,
})
