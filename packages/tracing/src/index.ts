export { openTracing } from './open.ts'
export { noTracer, type Span, type Tracer } from './tracer.ts'
