import type { Server, ServerResponse } from 'node:http'

/**
 * Node takes a connection on which no request ever came for a busy one, as balancers open them in advance, and a server
 * that closes waits for it.
 *
 * @returns ends such connections, once the requests that run have their answers
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
