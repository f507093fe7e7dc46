import { createClient, type MerchantPayments } from './client.ts'
import { nodeTransport } from './node-transport.ts'
import type { MerchantPaymentsOptions } from './settings.ts'

export * from './exports.ts'

const platform = { transportOf: nodeTransport }

/** The `createMerchantPayments` of `index.ts` on node:http, for the export condition `node`. */
export function createMerchantPayments(options: MerchantPaymentsOptions): MerchantPayments {
  return createClient(options, platform)
}
