import type { BrowserIntent, BrowserSession } from '../../src/wire.ts'

export type { BrowserIntent, BrowserSession } from '../../src/wire.ts'

export type RailOffer = BrowserSession['rails'][number]
export type LocalizedText = RailOffer['name']
export type LastPaymentError = NonNullable<BrowserIntent['last_payment_error']>
