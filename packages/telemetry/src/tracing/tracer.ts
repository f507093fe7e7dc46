import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** Words and whole numbers of ours: never a body, a number, a name or a secret. */
export type Attributes = Readonly<Record<string, string | number>>

export interface Span {
  end(attributes: Attributes, failed: boolean): void
}

/** A span as it ended. */
export interface EndedSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** The span elsewhere that asked for this one, if it says so. */
  readonly link: SpanLink | null
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly attributes: Attributes
  readonly failed: boolean
}

type SpanKind = 'server' | 'client'

interface SpanLink {
  readonly traceId: string
  readonly spanId: string
}

/** Spans of requests and of what they call, of a share of the traces, all of which begin here. */
export interface Tracer {
  /**
   * Begins within the span that runs now, else a trace of its own, which is linked to `traceparent`. A stranger who sends
   * one decides nothing by it: neither which requests are sampled, nor into which trace they go.
   */
  start(name: string, kind: SpanKind, traceparent?: string): Span
  /** What `run` starts belongs to the span. */
  within<T>(span: Span, run: () => T): T
}

interface TracerOptions {
  /** The share of the traces that is kept. */
  readonly sampleRatio: number
  readonly clock: () => number
  readonly onEnd: (span: EndedSpan) => void
}

interface Context {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

interface RunningSpan extends Span {
  readonly context: Context
}

/** Of 2^32 by which a trace id decides whether it is sampled. */
const SAMPLE_RANGE = 2 ** 32

export function createTracer({ sampleRatio, clock, onEnd }: TracerOptions): Tracer {
  const running = new AsyncLocalStorage<Context>()

  function begin(): Omit<Context, 'spanId'> {
    const traceId = hex(16)
    return { traceId, sampled: Number.parseInt(traceId.slice(-8), 16) < sampleRatio * SAMPLE_RANGE }
  }

  return {
    start: (name, kind, traceparent) => {
      const parent = running.getStore()
      const link = parent === undefined ? parseTraceparent(traceparent) : null
      const { traceId, sampled } = parent ?? begin()
      const context = { traceId, sampled, spanId: hex(8) }
      const startedAtMs = clock()
      const end: Span['end'] = (attributes, failed) => {
        if (!sampled) return
        const parentSpanId = parent?.spanId ?? null
        const times = { startedAtMs, endedAtMs: clock() }
        onEnd({
          name,
          kind,
          traceId,
          spanId: context.spanId,
          parentSpanId,
          link,
          ...times,
          attributes,
          failed,
        })
      }
      const span: RunningSpan = { context, end }
      return span
    },
    within: (span, run) => running.run((span as RunningSpan).context, run),
  }
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** W3C Trace Context, version 00; what is not that is nobody's trace. */
function parseTraceparent(text: string | undefined): SpanLink | null {
  const [, traceId = '', spanId = ''] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? '') ?? []
  return traceId === '' ? null : { traceId, spanId }
}

const noSpan: Span = { end: () => undefined }

/** For a deployment that traces nothing: costs nothing. */
export const noTracer: Tracer = { start: () => noSpan, within: (_span, run) => run() }
