import {
  type ChargeAtRail,
  type Clock,
  type Decline,
  MINUTE_MS,
  type RailAdapter,
  type RailCode,
  type RailEvidence,
  type Rails,
  type SubmitCharge,
  type SubmitRefund,
} from '@merchant-payments/core'
import type { Log, Metrics, Tracer } from '@merchant-payments/telemetry'

type Operation = 'submit' | 'query' | 'refund' | 'query_refund' | 'lookup'
interface Outcome {
  readonly kind: string
  readonly evidence?: RailEvidence
  readonly decline?: Decline
}
type Timed = <T extends Outcome>(
  rail: RailCode,
  operation: Operation,
  call: () => Promise<T>,
  labelOf?: (answer: Outcome) => string,
) => Promise<T>

interface Watch {
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Writes the line of a charge or a payout before its rail gets it. */
type Announce = (rail: RailCode, operation: 'submit' | 'refund', sent: SubmitCharge | SubmitRefund) => void

/** In ms. In an outage every call fails in the same way, so one line a minute is enough. */
const LOG_CAUSE_EVERY_MS = MINUTE_MS
/** Limit of remembered causes, because rails choose their codes freely. */
const LOGGED_CAUSES_MAX = 100

/** A refusal that the deployment must correct is no refusal of a payer: alerts count it as a failure. */
const outcomeOf = ({ kind, decline }: Outcome): string =>
  decline?.actor === 'merchant_config' ? 'misconfigured' : kind

/** The rail repeats the refusal of a charge for as long as the charge is watched, also once its cause is corrected. */
const queriedOutcomeOf = ({ settledAtMs = null }: ChargeAtRail) =>
  settledAtMs === null ? outcomeOf : ({ kind }: Outcome): string => kind

/** Shown at zero from the start: an alert of a quiet rail counts a few failures, and Prometheus misses a new series' first. */
const failures: Readonly<Record<Exclude<Operation, 'lookup'>, readonly string[]>> = {
  submit: ['not_sent', 'unknown', 'misconfigured', 'threw'],
  query: ['unavailable', 'unknown_status', 'misconfigured', 'threw'],
  refund: ['not_sent', 'unknown', 'misconfigured', 'threw'],
  query_refund: ['unavailable', 'unknown_status', 'misconfigured', 'threw'],
}

/** Logs the evidence of an outcome, once a minute for each rail and cause. */
function evidenceLog({ log, clock }: Pick<Watch, 'log' | 'clock'>) {
  const loggedAtMs = new Map<string, number>()
  return (rail: RailCode, { kind: outcome, evidence }: Outcome): void => {
    if (evidence === undefined) return
    const { operation, httpStatus: status, railCode: rail_code, errno, elapsedMs: duration_ms } = evidence
    const facts = { rail, operation, outcome, status, rail_code, errno }
    const cause = JSON.stringify(facts)
    const nowMs = clock()
    for (const [known, atMs] of loggedAtMs) {
      // Negative if the clock was set back.
      if (Math.abs(nowMs - atMs) >= LOG_CAUSE_EVERY_MS) loggedAtMs.delete(known)
    }
    if (loggedAtMs.has(cause) || loggedAtMs.size >= LOGGED_CAUSES_MAX) return
    loggedAtMs.set(cause, nowMs)
    log.warn({ ...facts, duration_ms }, 'no usable answer of a rail')
  }
}

/**
 * Counts, times and traces each call, and logs why one got no usable answer. Logs the reference of each instruction
 * before it is sent: after a restore to an earlier time, this line is the only record of it (docs/operations.md,
 * "Restore").
 */
export function watchRails(rails: Rails, { metrics, tracer, clock, log }: Watch): Rails {
  const count = metrics.counter('rail_requests_total', 'Calls to rails, by result.', [
    'rail',
    'operation',
    'outcome',
  ])
  const observe = metrics.durations('rail_request_duration_seconds', 'Duration of calls to rails.', [
    'rail',
    'operation',
  ])
  for (const { code: rail, refunds } of rails.values()) {
    for (const [operation, outcomes] of Object.entries(failures)) {
      if (refunds === null && operation.includes('refund')) continue
      for (const outcome of outcomes) count({ rail, operation, outcome }, 0)
    }
  }
  const logEvidence = evidenceLog({ log, clock })
  const timed: Timed = async (rail, operation, call, labelOf = outcomeOf) => {
    const span = tracer.start(`rail ${operation}`, 'client')
    const startedAtMs = clock()
    let outcome = 'threw'
    try {
      const answer = await call()
      outcome = labelOf(answer)
      logEvidence(rail, answer)
      return answer
    } finally {
      span.end({ rail, outcome }, outcome === 'threw')
      // The rail got no call, so its failures and its speed do not count this one.
      if (outcome !== 'held_back') {
        count({ rail, operation, outcome })
        observe((clock() - startedAtMs) / 1_000, { rail, operation })
      }
    }
  }
  const announce: Announce = (rail, operation, { reference, merchantId: merchant, object }) =>
    log.info({ merchant, object, rail, operation, reference }, 'rail instructed')
  return new Map([...rails].map(([code, rail]) => [code, watched(rail, timed, announce)]))
}

function watched(rail: RailAdapter, timed: Timed, announce: Announce): RailAdapter {
  const { code, refunds, accountHolders } = rail
  return {
    ...rail,
    submitCharge: (charge) => {
      announce(code, 'submit', charge)
      return timed(code, 'submit', () => rail.submitCharge(charge))
    },
    queryCharge: (charge) => timed(code, 'query', () => rail.queryCharge(charge), queriedOutcomeOf(charge)),
    refunds: refunds && {
      ...refunds,
      submitRefund: (refund) => {
        announce(code, 'refund', refund)
        return timed(code, 'refund', () => refunds.submitRefund(refund))
      },
      queryRefund: (reference) => timed(code, 'query_refund', () => refunds.queryRefund(reference)),
    },
    accountHolders: accountHolders && {
      findAccountHolder: (lookup) => timed(code, 'lookup', () => accountHolders.findAccountHolder(lookup)),
    },
  }
}
