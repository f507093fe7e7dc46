import { Refusal } from '@merchant-payments/contract'
import type { InvoiceItemId } from '../base/ids.ts'
import type { Metadata } from '../base/metadata.ts'

/** `amountMinor` is the product of the other two, and negative for a credit. */
export interface Price {
  readonly amountMinor: number
  readonly unitAmountMinor: number
  readonly quantity: number
}

export interface InvoiceItem extends Price {
  readonly id: InvoiceItemId
  readonly description: string | null
  readonly metadata: Metadata
  readonly bytes: number
  readonly revision: number
}

export interface SentPrice {
  readonly amountMinor: number | undefined
  readonly unitAmountMinor: number | undefined
  readonly quantity: number | undefined
}

/** docs/spec-gaps.md: a line's amount has the limit of every amount, positive or negative. */
const AMOUNT_MINOR_MAX = 99_999_999

export function priceOf(sent: SentPrice, before: Omit<Price, 'amountMinor'>): Price | Refusal {
  if (sent.amountMinor !== undefined) {
    return { amountMinor: sent.amountMinor, unitAmountMinor: sent.amountMinor, quantity: 1 }
  }
  const unitAmountMinor = sent.unitAmountMinor ?? before.unitAmountMinor
  const quantity = sent.quantity ?? before.quantity
  const amountMinor = unitAmountMinor * quantity
  if (Math.abs(amountMinor) > AMOUNT_MINOR_MAX) {
    const param = sent.quantity === undefined ? 'unit_amount' : 'quantity'
    const message = `leads to an amount beyond ${AMOUNT_MINOR_MAX}, in minor units`
    return new Refusal('invalid_request', message, { param })
  }
  return { amountMinor, unitAmountMinor, quantity }
}
