import type { MerchantId } from './ids.ts'

export interface Merchant {
  readonly id: MerchantId
  readonly name: string
  /** Identifies the merchant to /v1/browser. It authorises nothing. */
  readonly publishableKey: string
  /** How the checkout page looks. Absent: as for any merchant. */
  readonly brand?: { readonly accentColor: string | null; readonly logo: string | null }
}

export interface Merchants {
  readonly find: (id: MerchantId) => Merchant | undefined
  readonly findByKey: (publishableKey: string) => Merchant | undefined
}

export function merchantsOf(merchants: readonly Merchant[]): Merchants {
  const byId = new Map(merchants.map((merchant) => [merchant.id, merchant]))
  const byKey = new Map(merchants.map((merchant) => [merchant.publishableKey, merchant]))
  return { find: (id) => byId.get(id), findByKey: (key) => byKey.get(key) }
}
