import type { Attributes, EndedSpan } from './tracer.ts'

interface ExportOptions {
  /** The collector's, such as http://127.0.0.1:4318: spans go to /v1/traces below it. */
  readonly endpoint: string
  readonly service: string
  /** Called when a batch is lost; nothing is sent twice. */
  readonly onLost: (spans: number, error: unknown) => void
}

interface Exporter {
  readonly add: (span: EndedSpan) => void
  /** Sends what is left. */
  readonly close: () => Promise<void>
}

const SEND_EVERY_MS = 2_000
const SEND_TIMEOUT_MS = 5_000
/** Spans kept for a collector that is slow; more are dropped. */
const WAITING_MAX = 4_096

/** Sends spans in batches, as OTLP over HTTP in JSON. A collector that is away costs nothing but its spans. */
export function exportTo({ endpoint, service, onLost }: ExportOptions): Exporter {
  const url = new URL('/v1/traces', endpoint)
  let waiting: EndedSpan[] = []
  let sending: Promise<void> = Promise.resolve()

  async function send(spans: readonly EndedSpan[]): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(renderSpans(service, spans)),
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
      })
      await response.body?.cancel()
      if (!response.ok) onLost(spans.length, response.status)
    } catch (error) {
      onLost(spans.length, error)
    }
  }

  function flush(): Promise<void> {
    const spans = waiting
    waiting = []
    if (spans.length > 0) sending = sending.then(() => send(spans))
    return sending
  }

  const timer = setInterval(() => void flush(), SEND_EVERY_MS)
  timer.unref()
  return {
    add: (span) => {
      if (waiting.length < WAITING_MAX) waiting.push(span)
    },
    close: () => {
      clearInterval(timer)
      return flush()
    },
  }
}

/** OTLP's own numbers. */
const kinds = { server: 2, client: 3 }
const STATUS_ERROR = 2

const renderSpans = (service: string, spans: readonly EndedSpan[]) => ({
  resourceSpans: [
    {
      resource: { attributes: renderAttributes({ 'service.name': service }) },
      scopeSpans: [{ scope: { name: 'merchant-payments' }, spans: spans.map(renderSpan) }],
    },
  ],
})

const renderSpan = (span: EndedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
  ...(span.link !== null && { links: [span.link] }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.startedAtMs),
  endTimeUnixNano: nanoseconds(span.endedAtMs),
  attributes: renderAttributes(span.attributes),
  ...(span.failed && { status: { code: STATUS_ERROR } }),
})

const nanoseconds = (ms: number): string => `${ms}000000`

const renderAttributes = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
