import type { Fate, PaymentError, RailCode } from './rails.ts'

/** The model's state of each kind of object. Read-only fields never change. */
export type Metadata = Readonly<Record<string, string>>

export interface Address {
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly postal_code: string | null
  readonly country: string | null
  readonly latitude_microdeg: number | null
  readonly longitude_microdeg: number | null
}

/** The data that a merchant gives of a customer. */
export interface Facts {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly address: Address | null
  readonly metadata: Metadata
}

export interface Customer {
  readonly id: string
  readonly madeMs: number
  facts: Facts
  erasedMs: number | null
  usedMs: number
}

type IntentStatus = 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'

export interface Intent {
  readonly id: string
  readonly madeMs: number
  readonly amount: number
  readonly currency: string
  readonly rails: readonly string[]
  readonly description: string | null
  readonly metadata: Metadata
  readonly invoice: string | null
  readonly charges: Charge[]
  /** Whether the merchant has received the secret. */
  secretShown: boolean
  /** Look-ups of account holders by payers. */
  lookUps: number
  customer: string | null
  status: IntentStatus
  page: { readonly url: string; readonly returnUrl: string } | null
  error: PaymentError | null
  canceledMs: number | null
  reason: string | null
}

/** An attempt to collect an intent. */
export interface Charge {
  readonly rail: RailCode
  readonly openedMs: number
  state: 'live' | 'unconfirmed' | 'failed' | 'abandoned' | 'succeeded' | 'duplicate'
  /** The rail's answer to a query. */
  fate: Fate
  /** How often the rail has answered that it has no such charge. */
  absences: number
  /** When the rail's answer reached the service. */
  paidMs: number | null
  /** The rail's number of the transaction. */
  txn: string | null
  /** The canonical number that was asked for the money; none on a redirect rail, and none after an erasure. */
  payer: string | null
}

export interface Session {
  readonly id: string
  readonly madeMs: number
  readonly intent: string
  /** The customer that the intent had when the session was created. */
  readonly customer: string | null
  readonly uiMode: 'hosted' | 'embedded'
  readonly successUrl: string | null
  readonly cancelUrl: string | null
  readonly returnUrl: string | null
  readonly reference: string | null
  readonly locale: string | null
  readonly metadata: Metadata
  readonly expiresSec: number
  status: 'open' | 'complete' | 'expired'
  paid: boolean
}

export interface Invoice {
  readonly id: string
  readonly madeMs: number
  readonly customer: string
  readonly currency: string
  items: Item[]
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  number: number | null
  description: string | null
  dueSec: number | null
  intent: string | null
  rails: readonly string[]
  metadata: Metadata
  finalizedMs: number | null
  paidMs: number | null
  voidedMs: number | null
  markedMs: number | null
}

export interface Item {
  readonly id: string
  readonly madeMs: number
  unitAmount: number
  quantity: number
  description: string | null
  metadata: Metadata
}

export interface Refund {
  readonly id: string
  readonly madeMs: number
  readonly intent: string
  readonly amount: number
  readonly reason: string | null
  readonly rail: RailCode
  status: 'pending' | 'failed'
  failure: string | null
  metadata: Metadata
  /**
   * The reason for which the rail will refuse it when the worker sends it; null if it will not. Undefined after it
   * was sent.
   */
  unsent: { readonly refusal: string | null } | undefined
  /** The reason of an unproven refusal, and how often the rail has not found it since. */
  doubt: { readonly refusal: string; readonly looks: number } | undefined
}
