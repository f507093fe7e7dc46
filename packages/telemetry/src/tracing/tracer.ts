/** Words and whole numbers of ours: never a body, a phone number, a name or a secret. */
type Attributes = Readonly<Record<string, string | number>>

export interface Span {
  end(attributes: Attributes, failed: boolean): void
}

export type SpanKind = 'server' | 'client' | 'internal'

/** Records spans of requests and of the work done for them, in any process (docs/decisions/0024). */
export interface Tracer {
  /**
   * Starts the trace of a request. Its ids are those of the request, so the processes that continue its work find it
   * by the `request_id` that they read from the database. It links to `traceparent`, whose sender therefore decides
   * neither which requests are sampled nor which trace they belong to.
   */
  startRequest(requestId: string, traceparent?: string): Span
  /**
   * Starts a span below the one that runs, or else a trace of its own.
   * @param startedAtMs default: now
   */
  start(name: string, kind: SpanKind, startedAtMs?: number): Span
  /** Starts a trace of its own that links to each sampled request. It is recorded if there is one. */
  startBatch(name: string, requestIds: readonly (string | null)[]): Span
  /** Spans that `run` starts are children of `span`. */
  within<T>(span: Span, run: () => T): T
  /**
   * Spans that `run` starts are children of the request's span, and link to the span that runs. For null, they start
   * traces of their own.
   */
  readonly forRequest: <T>(requestId: string | null, run: () => T) => T
}

const noSpan: Span = { end: () => undefined }

/** For a deployment without tracing. */
export const noTracer: Tracer = {
  startRequest: () => noSpan,
  start: () => noSpan,
  startBatch: () => noSpan,
  within: (_span, run) => run(),
  forRequest: (_requestId, run) => run(),
}

export interface Tracing {
  readonly tracer: Tracer
  /** Sends the spans that still wait, for a bounded time. Never rejects. */
  close(): Promise<void>
}
