import { setTimeout as delay } from 'node:timers/promises'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { createTracer } from './sdk-tracer.ts'
import type { Tracing } from './tracer.ts'

export interface OtlpOptions {
  /** Address of the collector, such as http://127.0.0.1:4318. Spans go to /v1/traces below it. */
  readonly endpoint: string
  readonly service: string
  /** The share of traces that is recorded, from 0 to 1. */
  readonly sampleRatio: number
  readonly clock: () => number
  /** Called with the number of spans that the collector did not take. */
  readonly onLost: (spans: number) => void
}

const EXPORT_EVERY_MS = 2_000
/** For one batch, with its retries. */
const EXPORT_MAX_MS = 5_000
/** Spans that wait for a slow collector. More are dropped. */
const QUEUE_SPANS_MAX = 4_096
const BATCH_SPANS_MAX = 512
/** All batches of a full queue, which a close sends at once, and the one already on its way. */
const EXPORTS_AT_ONCE_MAX = QUEUE_SPANS_MAX / BATCH_SPANS_MAX + 1
/** A small part of the 25 s that a server has to stop. */
const CLOSE_MAX_MS = 3_000

/** Sends spans in batches to a collector, as OTLP over HTTP in JSON. */
export function openOtlp({ endpoint, service, sampleRatio, clock, onLost }: OtlpOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: new URL('/v1/traces', endpoint).href,
    timeoutMillis: EXPORT_MAX_MS,
    concurrencyLimit: EXPORTS_AT_ONCE_MAX,
  })
  let queued = 0
  let exporting = 0
  let dropped = 0
  let closed = false

  function lose(spans: number): void {
    const lost = spans + dropped
    dropped = 0
    if (lost > 0 && !closed) onLost(lost)
  }

  const batches = new BatchSpanProcessor({
    exporter: {
      export: (spans, done) => {
        queued -= spans.length
        exporting += spans.length
        exporter.export(spans, (result) => {
          exporting -= spans.length
          lose(result.code === ExportResultCode.SUCCESS ? 0 : spans.length)
          done(result)
        })
      },
      shutdown: () => exporter.shutdown(),
    },
    scheduledDelayMillis: EXPORT_EVERY_MS,
    exportTimeoutMillis: EXPORT_MAX_MS,
    maxQueueSize: QUEUE_SPANS_MAX,
    maxExportBatchSize: BATCH_SPANS_MAX,
  })
  // The batch processor drops spans too, but reports that nowhere.
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => {
      if (queued >= QUEUE_SPANS_MAX) {
        dropped += 1
        return
      }
      queued += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }

  async function flush(): Promise<void> {
    // Rejects as soon as one batch fails, while others are still on their way.
    await batches.shutdown().catch(() => undefined)
    await exporter.forceFlush()
  }

  return {
    tracer: createTracer({ service, sampleRatio, clock, processor }),
    close: async () => {
      await Promise.race([flush(), delay(CLOSE_MAX_MS, undefined, { ref: false })])
      lose(exporting)
      closed = true
    },
  }
}
