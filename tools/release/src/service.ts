import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const intent = {
  id: 'pi_0190b2c4e8f97d3ab6c51e2f40718293',
  object: 'payment_intent',
  status: 'succeeded',
  next_action: null,
  last_payment_error: null,
  live_charge: null,
}

const TOKEN_DELAY_MS = 300

export interface Service {
  readonly baseUrl: string
  readonly close: () => void
}

/** Answers the few requests of the programs in `consumers`, so that they run without the system. */
export async function startService(): Promise<Service> {
  const server = createServer((request, response) => {
    const body =
      request.url === '/v1/oauth/token'
        ? { access_token: 't', token_type: 'Bearer', expires_in: 900 }
        : intent
    request.resume()
    response.setHeader('content-type', 'application/json')
    // Slower than a read, so that a token request in the background outlives the request that started it.
    setTimeout(() => response.end(JSON.stringify(body)), body === intent ? 0 : TOKEN_DELAY_MS)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
