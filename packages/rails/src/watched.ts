import type { Clock, RailAdapter, RailCode, Rails } from '@merchant-payments/core'
import type { Metrics, Tracer } from '@merchant-payments/telemetry'

type Operation = 'submit' | 'query' | 'refund' | 'query_refund' | 'lookup'
type Timed = <T extends { readonly kind: string }>(
  rail: RailCode,
  operation: Operation,
  call: () => Promise<T>,
) => Promise<T>

interface Watch {
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly clock: Clock
}

export function watchRails(rails: Rails, { metrics, tracer, clock }: Watch): Rails {
  const count = metrics.counter('rail_requests_total', 'Calls to rails, by result.', [
    'rail',
    'operation',
    'outcome',
  ])
  const observe = metrics.durations('rail_request_duration_seconds', 'Duration of calls to rails.', [
    'rail',
    'operation',
  ])
  const timed: Timed = async (rail, operation, call) => {
    const span = tracer.start(`rail ${operation}`, 'client')
    const startedAtMs = clock()
    let outcome = 'threw'
    try {
      const answer = await call()
      outcome = answer.kind
      return answer
    } finally {
      count({ rail, operation, outcome })
      span.end({ rail, outcome }, outcome === 'threw')
      observe((clock() - startedAtMs) / 1_000, { rail, operation })
    }
  }
  return new Map([...rails].map(([code, rail]) => [code, watched(rail, timed)]))
}

function watched(rail: RailAdapter, timed: Timed): RailAdapter {
  const { code, refunds, accountHolders } = rail
  return {
    ...rail,
    submitCharge: (charge) => timed(code, 'submit', () => rail.submitCharge(charge)),
    queryCharge: (charge) => timed(code, 'query', () => rail.queryCharge(charge)),
    refunds: refunds && {
      ...refunds,
      submitRefund: (refund) => timed(code, 'refund', () => refunds.submitRefund(refund)),
      queryRefund: (reference) => timed(code, 'query_refund', () => refunds.queryRefund(reference)),
    },
    accountHolders: accountHolders && {
      findAccountHolder: (msisdn) => timed(code, 'lookup', () => accountHolders.findAccountHolder(msisdn)),
    },
  }
}
