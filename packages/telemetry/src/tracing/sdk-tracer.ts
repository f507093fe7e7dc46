import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  createContextKey,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { createIds, idsOf, remote, type RequestIds } from './request-ids.ts'
import type { Span, SpanKind as Kind, Tracer } from './tracer.ts'

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

const kinds: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}

/** The span that ran when a context began to serve a request of another trace. */
const servedBy = createContextKey('served by')

/** A tracer on OpenTelemetry's SDK. It registers nothing globally, so no library adds spans or attributes of its own. */
export function createTracer({ service, sampleRatio, clock, processor }: TracerOptions): Tracer {
  const ratio = new TraceIdRatioBasedSampler(sampleRatio)
  const ids = createIds()
  const parts = {
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [processor],
    idGenerator: ids.generator,
  }
  // Each process computes the decision for a request itself, from the same ids and the same ratio.
  const byRatio = { root: ratio, remoteParentSampled: ratio, remoteParentNotSampled: ratio }
  const tracer = tracerOf(new TracerProvider({ ...parts, sampler: new ParentBasedSampler(byRatio) }))
  const batches = tracerOf(new TracerProvider({ ...parts, sampler: new AlwaysOnSampler() }))
  const running = new AsyncLocalStorage<Context>()
  // The SDK reads a small number as time since the start of the process, but a Date always as a time.
  const timeOf = (atMs: number) => new Date(atMs)
  const isSampled = ({ traceId }: RequestIds) =>
    ratio.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED

  function begin(by: typeof tracer, name: string, options: SpanOptions, context: Context): RunningSpan {
    const span = by.startSpan(name, { ...options, startTime: options.startTime ?? timeOf(clock()) }, context)
    return {
      context: trace.setSpan(context.deleteValue(servedBy), span),
      end: (attributes, failed) => {
        span.setAttributes(attributes)
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end(timeOf(clock()))
      },
    }
  }

  return {
    startRequest: (requestId, traceparent) =>
      ids.give(idsOf(requestId), () =>
        begin(tracer, 'request', { kind: SpanKind.SERVER, links: linksTo(traceparent) }, ROOT_CONTEXT),
      ),
    start: (name, kind, startedAtMs) => {
      const context = running.getStore() ?? ROOT_CONTEXT
      const server = context.getValue(servedBy) as SpanContext | undefined
      const links = server === undefined ? [] : [{ context: server }]
      const startTime = timeOf(startedAtMs ?? clock())
      return begin(tracer, name, { kind: kinds[kind], links, startTime }, context)
    },
    startBatch: (name, requestIds) => {
      const requests = [...new Set(requestIds)].map(idsOf).filter((request) => request !== null)
      const links = requests.filter(isSampled).map((request) => ({ context: remote(request, true) }))
      return links.length === 0 ? unrecorded : begin(batches, name, { links }, ROOT_CONTEXT)
    },
    within: (span, run) => running.run((span as RunningSpan).context, run),
    forRequest: (requestId, run) => {
      const request = idsOf(requestId)
      const parent =
        request === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, remote(request, isSampled(request)))
      const server = trace.getSpanContext(running.getStore() ?? ROOT_CONTEXT)
      const isOther = server !== undefined && server.traceId !== request?.traceId
      const isRecorded = isOther && (server.traceFlags & TraceFlags.SAMPLED) !== 0
      return running.run(isRecorded ? parent.setValue(servedBy, server) : parent, run)
    },
  }
}

const tracerOf = (provider: TracerProvider) => provider.getTracer('merchant-payments')

const unrecorded: RunningSpan = { context: ROOT_CONTEXT, end: () => undefined }

/** W3C Trace Context, version 00. Any other text links to nothing. */
function linksTo(traceparent: string | undefined): Link[] {
  const [, traceId = '', spanId = ''] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? '') ?? []
  return traceId === '' ? [] : [{ context: { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true } }]
}
