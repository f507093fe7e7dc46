import { plainCode } from '../base/plain-code.ts'
import type { ObjectFacts, Raise } from '../base/raised.ts'
import type { Decline, RailEvidence, RefundOutcome, SubmitOutcome } from './port.ts'

export function alertIfMisconfigured(raise: Raise, { actor, railCode }: Decline, facts: ObjectFacts): void {
  if (actor === 'merchant_config') raise('rail_misconfigured', { ...facts, rail_code: plainCode(railCode) })
}

/** Like `alertIfMisconfigured`, also for an instruction that was not sent because the rail refused our credentials. */
export function alertIfRefusedAsOurs(
  raise: Raise,
  outcome: SubmitOutcome | RefundOutcome,
  facts: ObjectFacts,
): void {
  if ('decline' in outcome) alertIfMisconfigured(raise, outcome.decline, facts)
  if (outcome.kind !== 'not_sent' || !refusesCredentials(outcome.evidence)) return
  const { operation, httpStatus, railCode } = outcome.evidence
  raise('rail_misconfigured', {
    ...facts,
    rail_code: plainCode(railCode),
    operation,
    http_status: httpStatus,
  })
}

const UNAUTHORIZED = 401

/** Statuses that a gateway returns to any caller: the rate limit, or an unavailable backend. */
const ofAnyCaller: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** MTN refuses the key for a token with a 401, and some of its gateways with a 500. */
const refusesCredentials = ({ operation, httpStatus }: RailEvidence): boolean =>
  httpStatus === UNAUTHORIZED ||
  (operation === 'token' && httpStatus !== null && !ofAnyCaller.has(httpStatus))
