import type { OtlpOptions } from './otlp.ts'
import { noTracer, type Tracing } from './tracer.ts'

interface TracingOptions extends Omit<OtlpOptions, 'endpoint' | 'sampleRatio'> {
  /** Undefined in a deployment without tracing. */
  readonly config: Pick<OtlpOptions, 'endpoint' | 'sampleRatio'> | undefined
}

/** Opens the deployment's tracing. Without a collector it loads no code of OpenTelemetry. */
export async function openTracing({ config, ...options }: TracingOptions): Promise<Tracing> {
  if (config === undefined) return { tracer: noTracer, close: async () => undefined }
  const { openOtlp } = await import('./otlp.ts')
  return openOtlp({ ...config, ...options })
}
