export { type Collect, createMetrics, type Labels, type Metrics, type Series } from './metrics.ts'
export { collectProcess } from './process.ts'
export { metricsServer } from './server.ts'
