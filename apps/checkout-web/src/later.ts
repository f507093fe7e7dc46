import { allowInsecureBaseUrl, createPayerClient, type PayerClient } from '@merchant-payments/payer-client'
import { observedFetch, type ServerClock } from '@merchant-payments/payer-client/form/server-clock'
import type { Link } from './link.ts'
import './words/later.ts'

export { PayerClientError } from '@merchant-payments/payer-client'
export { LaterBody } from './ui/later-body.tsx'

/**
 * Creates the payer client. If the page itself came over plain http, on a developer's machine, the client may
 * use it too.
 */
export function createPayer({ clientSecret }: Link, baseUrl: string, serverClock: ServerClock): PayerClient {
  const isPlain = location.protocol === 'http:'
  const fetch = observedFetch(serverClock)
  return createPayerClient({
    baseUrl,
    clientSecret,
    fetch,
    ...(isPlain && { [allowInsecureBaseUrl]: true }),
  })
}
