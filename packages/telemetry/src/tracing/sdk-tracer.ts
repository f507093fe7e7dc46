import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  ParentBasedSampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Span, Tracer } from './tracer.ts'

interface TracerOptions {
  readonly service: string
  /** The share of traces that is recorded, from 0 to 1. */
  readonly sampleRatio: number
  readonly clock: () => number
  /** Receives the recorded spans. */
  readonly processor: SpanProcessor
}

interface RunningSpan extends Span {
  readonly context: Context
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT }

/** A tracer on OpenTelemetry's SDK. It registers nothing globally, so no library adds spans or attributes of its own. */
export function createTracer({ service, sampleRatio, clock, processor }: TracerOptions): Tracer {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('merchant-payments')
  const running = new AsyncLocalStorage<Context>()
  // The SDK reads a small number as time since the start of the process, but a Date always as a time.
  const now = () => new Date(clock())

  return {
    start: (name, kind, traceparent) => {
      const parent = running.getStore()
      const links = parent === undefined ? linksTo(traceparent) : []
      const context = parent ?? ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: kinds[kind], startTime: now(), links }, context)
      const started: RunningSpan = {
        context: trace.setSpan(context, span),
        end: (attributes, failed) => {
          span.setAttributes(attributes)
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end(now())
        },
      }
      return started
    },
    within: (span, run) => running.run((span as RunningSpan).context, run),
  }
}

/** W3C Trace Context, version 00. Any other text links to nothing. */
function linksTo(traceparent: string | undefined): Link[] {
  const [, traceId = '', spanId = ''] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? '') ?? []
  return traceId === '' ? [] : [{ context: { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true } }]
}
