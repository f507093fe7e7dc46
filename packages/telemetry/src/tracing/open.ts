import { exportTo } from './export.ts'
import { createTracer, noTracer, type Tracer } from './tracer.ts'

interface TracingOptions {
  /** Absent where the deployment traces nothing. */
  readonly config: { readonly endpoint: string; readonly sampleRatio: number } | undefined
  readonly service: string
  readonly clock: () => number
  /** Called when a batch is lost; nothing is sent twice. */
  readonly onLost: (spans: number, error: unknown) => void
}

export interface Tracing {
  readonly tracer: Tracer
  /** Sends what is left. */
  close(): Promise<void>
}

/** Traces as the deployment has them. */
export function openTracing({ config, service, clock, onLost }: TracingOptions): Tracing {
  if (config === undefined) return { tracer: noTracer, close: async () => undefined }
  const { endpoint, sampleRatio } = config
  const exporter = exportTo({ endpoint, service, onLost })
  return { tracer: createTracer({ sampleRatio, clock, onEnd: exporter.add }), close: exporter.close }
}
