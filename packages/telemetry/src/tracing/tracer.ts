/** Words and whole numbers of ours: never a body, a phone number, a name or a secret. */
type Attributes = Readonly<Record<string, string | number>>

export interface Span {
  end(attributes: Attributes, failed: boolean): void
}

type SpanKind = 'server' | 'client'

/** Records spans of requests and of the calls made for them. */
export interface Tracer {
  /**
   * Starts a span below the one that runs, or else a trace of its own that links to `traceparent`. The sender of a
   * `traceparent` therefore decides neither which requests are sampled nor which trace they belong to.
   */
  start(name: string, kind: SpanKind, traceparent?: string): Span
  /** Spans that `run` starts are children of `span`. */
  within<T>(span: Span, run: () => T): T
}

const noSpan: Span = { end: () => undefined }

/** For a deployment without tracing. */
export const noTracer: Tracer = { start: () => noSpan, within: (_span, run) => run() }

export interface Tracing {
  readonly tracer: Tracer
  /** Sends the spans that still wait, for a bounded time. Never rejects. */
  close(): Promise<void>
}
