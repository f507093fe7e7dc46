import type { Server, ServerResponse } from 'node:http'

/**
 * Tracks connections on which no request has arrived yet, such as those that balancers open in advance. Node counts
 * them as busy, so a closing server would wait for them.
 *
 * @returns closes such connections after the running requests have their answers
 */
export function trackRequests(server: Server): () => void {
  const running = new Set<ServerResponse>()
  let closing = false
  const endTheRest = (): void => {
    if (closing && running.size === 0) server.closeAllConnections()
  }
  server.on('request', (_request, response: ServerResponse) => {
    running.add(response)
    response.once('close', () => {
      running.delete(response)
      endTheRest()
    })
  })
  return () => {
    closing = true
    endTheRest()
  }
}
