import { createVerifier } from '@merchant-payments/webhook-verifier'
import { createClient, type MerchantPayments } from './client.ts'
import { carriedByNode } from './node-transport.ts'
import { type MerchantPaymentsOptions, readSettings } from './settings.ts'
import { type TokenSource, tokenSourceOf } from './token-source.ts'

export * from './exports.ts'

const platform = { carryOf: carriedByNode, isEdge: false, webhooks: { createVerifier } }

/** The `createMerchantPayments` of `index.ts` on node:http, for the export condition `node`. */
export function createMerchantPayments(options: MerchantPaymentsOptions): MerchantPayments {
  return createClient(options, platform)
}

/** The `createTokenSource` of `index.ts` on node:http, for the export condition `node`. */
export function createTokenSource(options: MerchantPaymentsOptions): TokenSource {
  return tokenSourceOf(readSettings(options, platform))
}
