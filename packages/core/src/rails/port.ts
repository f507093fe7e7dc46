import type { Currency, DeclineCode } from '@merchant-payments/contract'
import type { Brand } from '../base/brand.ts'
import type { Msisdn } from '../base/phone.ts'

/** A deployment's name for a rail, such as `mtn_momo_cm`: what merchants write in `payment_method_types`. */
export type RailCode = Brand<string, 'RailCode'>

export type Locale = 'fr' | 'en'

export interface RailCapabilities {
  /** Spec 1.4: a push rail has a null next_action, a redirect rail a redirect_to_url. */
  readonly flow: 'push' | 'redirect'
  /** Spec 3.1.2: a confirm in another currency is a 400. */
  readonly settlementCurrency: Currency
  /** What `payment_method_data[<rail>]` must hold. */
  readonly instrument: 'msisdn' | 'none'
  /** True when no money can move after a lost answer to a submit, because the payer never got the rail's page. */
  readonly lostSubmitIsHarmless: boolean
  /** The longest address that the rail takes, to call back or to send the payer back to; absent where it sets none. */
  readonly urlCharsMax?: number
  /** How long the rail lets the payer approve. */
  readonly approvalWindowMs: number
  /** When the worker first asks for an accepted charge, unless a callback pulls the query forward. */
  readonly firstQueryAfterMs: number
}

export interface SubmitCharge {
  /** Ours, committed before the call: what the rail knows the charge by. */
  readonly reference: string
  readonly amountMinor: number
  readonly currency: Currency
  readonly payer: Msisdn | null
  /** Null where the confirm named none: the rail then speaks its own default. */
  readonly locale: Locale | null
  /** Where the rail calls back; absent where the deployment takes no callbacks. */
  readonly callbackUrl: string | null
  readonly returnUrl: string | null
  /** Past this instant the adapter must not begin to send. */
  readonly deadlineMs: number
}

export interface Decline {
  readonly code: DeclineCode
  /** `merchant_config` means that the deployment, not the payer, must act: it raises an alert. */
  readonly actor: 'payer' | 'merchant_config' | 'rail'
  /** The rail's own words, untrusted: stored apart so that erasure can redact them. */
  readonly railCode: string | null
  readonly railMessage: string | null
}

/** What is known of a failed exchange. Holds no body, number or credential, so it may be logged. */
export interface RailEvidence {
  readonly operation: 'token' | 'submit' | 'query' | 'refund' | 'query_refund' | 'lookup'
  readonly httpStatus: number | null
  readonly railCode: string | null
  readonly errno: string | null
  readonly elapsedMs: number
}

export type SubmitOutcome =
  | {
      readonly kind: 'accepted'
      readonly railToken: string | null
      readonly callbackSecret: string | null
      readonly redirectUrl: string | null
    }
  | NotAccepted

type NotAccepted =
  /** The rail has definitely refused: nothing is or will be live. */
  | { readonly kind: 'declined'; readonly decline: Decline }
  /** Proven never to have reached the rail. */
  | { readonly kind: 'not_sent'; readonly evidence: RailEvidence }
  /** The rail may or may not have it: only a status query can tell. */
  | { readonly kind: 'unknown'; readonly evidence: RailEvidence }

export interface ChargeAtRail {
  readonly reference: string
  readonly railToken: string | null
  readonly amountMinor: number
  readonly currency: Currency
}

export type QueryOutcome =
  | { readonly kind: 'pending' }
  | {
      readonly kind: 'succeeded'
      readonly railTxnId: string | null
      /** As the rail reports them, in minor units; null where the rail reports none. */
      readonly amountMinor: number | null
      readonly currency: string | null
    }
  | { readonly kind: 'failed'; readonly decline: Decline }
  /** The wallet's own answer that it has no such charge, never a gateway's 404. */
  | { readonly kind: 'not_found' }
  /** A status word that we do not know: pending, and worth an alert. */
  | { readonly kind: 'unknown_status'; readonly status: string }
  /** Says nothing about the charge. */
  | { readonly kind: 'unavailable'; readonly evidence: RailEvidence }

export interface SubmitRefund {
  /** Ours, committed before the call: what the rail knows the refund by. */
  readonly reference: string
  readonly amountMinor: number
  readonly currency: Currency
  readonly destination: Msisdn
  /** Past this instant the adapter must not begin to send. */
  readonly deadlineMs: number
}

/** Accepted means that the rail has the instruction, not that money has moved (spec 4.5.1). */
export type RefundOutcome =
  | { readonly kind: 'accepted' }
  | NotAccepted
  /**
   * The rail named a reason to refuse, with a status that does not prove it, and one status query right after found
   * nothing. It may still pay: the refusal holds once the rail has gone on having nothing.
   */
  | { readonly kind: 'refusal_unconfirmed'; readonly decline: Decline }

/** A rail that can pay money back out. */
export interface RailRefunds {
  /** True when the rail takes a reference only once: what it may have can then be sent again under the same one. */
  readonly dedupes: boolean
  submitRefund(refund: SubmitRefund): Promise<RefundOutcome>
  queryRefund(reference: string): Promise<QueryOutcome>
}

export type AccountHolderOutcome =
  | { readonly kind: 'found'; readonly name: string | null; readonly active: boolean | null }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'unavailable'; readonly evidence: RailEvidence }

/** A rail that tells whose account a number is. */
export interface RailAccountHolders {
  findAccountHolder(msisdn: Msisdn): Promise<AccountHolderOutcome>
}

/** How a callback finds its charge. It has no room for a status: spec 1.6, a callback never changes state. */
export interface CallbackReference {
  readonly by: 'reference' | 'callback_secret'
  readonly value: string
}

export interface CallbackRequest {
  readonly query: URLSearchParams
  readonly body: Uint8Array
}

/**
 * One rail. Its methods answer outcomes and never throw for what a rail does: an exception that became "failed" is how
 * integrations charge twice.
 */
export interface RailAdapter {
  readonly code: RailCode
  /** For people, such as "MTN Mobile Money". */
  readonly displayName: string
  readonly capabilities: RailCapabilities
  /** The longest that submitCharge or submitRefund can take, from call to answer: holds of idempotency keys outlast it. */
  readonly submitTimeoutMs: number
  /** Whether the deployment lets this rail call back. */
  readonly callbacks: boolean
  /** Makes the identity of the charge or refund at this rail; called inside the transaction that commits it. */
  mintReference(): string
  submitCharge(charge: SubmitCharge): Promise<SubmitOutcome>
  queryCharge(charge: ChargeAtRail): Promise<QueryOutcome>
  /** Null on a rail that cannot pay out (spec 4.5.2). */
  readonly refunds: RailRefunds | null
  readonly accountHolders: RailAccountHolders | null
  parseCallbackReference(request: CallbackRequest): CallbackReference | null
  /** Closes its connections. */
  close(): Promise<void>
}

export type Rails = ReadonlyMap<RailCode, RailAdapter>
