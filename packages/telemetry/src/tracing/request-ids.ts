import { type SpanContext, TraceFlags } from '@opentelemetry/api'
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace'

export interface RequestIds {
  readonly traceId: string
  readonly spanId: string
}

/** A request's 16 bytes are the id of its trace, and the last eight are the id of its first span. */
export function idsOf(requestId: string | null): RequestIds | null {
  const [, traceId = '', spanId = ''] = /^req_([0-9a-f]{16}([0-9a-f]{16}))$/.exec(requestId ?? '') ?? []
  // OpenTelemetry takes an id of zeros for none.
  return /[^0]/.test(spanId) ? { traceId, spanId } : null
}

/** The first span of a request, whose process may be another one. */
export const remote = (ids: RequestIds, sampled: boolean): SpanContext => ({
  ...ids,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
})

/** Random ids, except for the span that `give` starts. */
export function createIds() {
  const random = new RandomIdGenerator()
  let given: RequestIds | null = null
  const generator: IdGenerator = {
    generateTraceId: () => given?.traceId ?? random.generateTraceId(),
    generateSpanId: () => given?.spanId ?? random.generateSpanId(),
  }
  return {
    generator,
    give: <T>(ids: RequestIds | null, start: () => T): T => {
      given = ids
      try {
        return start()
      } finally {
        given = null
      }
    },
  }
}
