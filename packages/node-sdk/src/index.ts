import { createClient, type MerchantPayments } from './client.ts'
import { fetchTransport } from './fetch.ts'
import type { HttpAgent, MerchantPaymentsOptions } from './settings.ts'

export * from './exports.ts'

const platform = {
  transportOf: (agent: HttpAgent | undefined) => {
    if (agent !== undefined) throw new TypeError('agent needs node:http, which this build does not use')
    return fetchTransport()
  },
}

/**
 * Creates a client. Throws a TypeError for invalid options. It sends nothing until the first call.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { createMerchantPayments } from '@merchant-payments/node-sdk'
 *
 * const payments = createMerchantPayments({
 *   baseUrl: 'https://payments.example.com',
 *   clientId: 'shop',
 *   privateKey: readFileSync('merchant.pem', 'utf8'),
 * })
 * ```
 */
export function createMerchantPayments(options: MerchantPaymentsOptions): MerchantPayments {
  return createClient(options, platform)
}
