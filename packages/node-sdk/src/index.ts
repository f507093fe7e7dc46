import { createVerifier } from '@merchant-payments/webhook-verifier'
import { createClient, type MerchantPayments } from './client.ts'
import { fetchTransport } from './fetch.ts'
import { type HttpAgent, type MerchantPaymentsOptions, readSettings } from './settings.ts'
import { type TokenSource, tokenSourceOf } from './token-source.ts'
import { carriedBy } from './transport.ts'

export * from './exports.ts'

const platform = {
  webhooks: { createVerifier },
  isEdge: true,
  carryOf: (agent: HttpAgent | undefined) => {
    if (agent !== undefined) throw new TypeError('agent needs node:http, which this build does not use')
    return carriedBy(fetchTransport())
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

/**
 * Creates a source of access tokens for another client of the service. It takes the options of a client. Throws a
 * TypeError for invalid ones, and sends nothing before the first `get`.
 *
 * @example
 * ```ts
 * const tokens = createTokenSource({ baseUrl, clientId, privateKey })
 * const authorization = `Bearer ${await tokens.get()}`
 * ```
 */
export function createTokenSource(options: MerchantPaymentsOptions): TokenSource {
  return tokenSourceOf(readSettings(options, platform))
}
