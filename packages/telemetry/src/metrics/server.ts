import { createServer, type Server } from 'node:http'
import type { Metrics } from './metrics.ts'

const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

/** Serves GET /metrics, on a port of its own inside the deployment. */
export function createMetricsServer(metrics: Pick<Metrics, 'render'>): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    void metrics.render().then(
      (text) => response.writeHead(200, { 'content-type': TEXT_FORMAT }).end(text),
      // A gauge could not be read, for example a queue while the database is away. A zero would look like an empty queue.
      () => response.writeHead(503).end(),
    )
  })
}
