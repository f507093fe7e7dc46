import { allowInsecureBaseUrl, createPayerClient, type PayerClient } from '@merchant-payments/payer-client'
import type { Link } from './link.ts'
import './words/later.ts'

export { PayerClientError } from '@merchant-payments/payer-client'
export { LaterBody } from './ui/later-body.tsx'

/**
 * Creates the payer client. If the page itself came over plain http, on a developer's machine, the client may
 * use it too.
 */
export function createPayer({ clientSecret }: Link, baseUrl: string): PayerClient {
  const isPlain = location.protocol === 'http:'
  return createPayerClient({ baseUrl, clientSecret, ...(isPlain && { [allowInsecureBaseUrl]: true }) })
}
