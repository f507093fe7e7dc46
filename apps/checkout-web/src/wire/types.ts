import type { BrowserIntent, BrowserSession } from '@merchant-payments/contract'

// Types alone: the page ships neither the contract's schemas nor their library.
export type { BrowserIntent, BrowserSession } from '@merchant-payments/contract'

export type Locale = NonNullable<BrowserSession['locale']>
export type RailOffer = BrowserSession['rails'][number]
export type LastPaymentError = NonNullable<BrowserIntent['last_payment_error']>
