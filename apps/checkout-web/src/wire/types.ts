import type { BrowserIntent, BrowserSession } from '@merchant-payments/contract'

// Only types are imported, so the page ships neither the contract's schemas nor zod.
export type { BrowserIntent, BrowserSession } from '@merchant-payments/contract'

export type RailOffer = BrowserSession['rails'][number]
export type LocalizedText = RailOffer['name']
export type LastPaymentError = NonNullable<BrowserIntent['last_payment_error']>
