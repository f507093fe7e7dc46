import type { Server, ServerResponse } from 'node:http'

/**
 * Tracks connections on which no request has arrived yet, such as those that balancers open in advance. Node counts
 * them as busy, so a closing server would wait for them.
 *
 * @returns closes such connections after the running requests have their answers
 */
export function trackRequests(server: Server): () => void {
  // A Set of the responses would keep them until the next full collection (docs/decisions/0038).
  let running = 0
  let closing = false
  const endTheRest = (): void => {
    if (closing && running === 0) server.closeAllConnections()
  }
  server.on('request', (_request, response: ServerResponse) => {
    running += 1
    response.once('close', () => {
      running -= 1
      endTheRest()
    })
  })
  return () => {
    closing = true
    endTheRest()
  }
}
