import type { Currency, DeclineCode } from '@merchant-payments/contract'
import type { Brand } from '../base/brand.ts'
import type { ChargeReturnId, MerchantId, PaymentIntentId, RefundId } from '../base/ids.ts'
import type { Msisdn } from '../base/phone.ts'

/** A deployment's name for a rail, such as `mtn_momo_cm`. Merchants write it in `payment_method_types`. */
export type RailCode = Brand<string, 'RailCode'>

export type Locale = 'fr' | 'en'

export interface RailCapabilities {
  /** Spec 1.4: a push rail has a null next_action, a redirect rail a redirect_to_url. */
  readonly flow: 'push' | 'redirect'
  /** Spec 3.1.2: a confirm in another currency is a 400. */
  readonly settlementCurrency: Currency
  readonly instrument: 'msisdn' | 'none'
  /** True if no money can move after a lost answer to a submit, because the payer never got the rail's page. */
  readonly lostSubmitIsHarmless: boolean
  /**
   * What a status query needs: our reference alone, or also the token that only the answer to the submit carries.
   * Without the token, only the operator's statement tells about a reference that we have lost.
   */
  readonly queriedBy: 'reference' | 'token'
  /** The longest address that the rail accepts for callbacks and for the payer's return. Absent if it sets no limit. */
  readonly urlCharsMax?: number
  /** True if the rail refuses addresses whose host is an IP address or `localhost`. Absent if it takes any host. */
  readonly namedHostsOnly?: true
  readonly approvalWindowMs: number
  /** Delay before the worker's first query of an accepted charge, unless a callback brings the query forward. */
  readonly firstQueryAfterMs: number
}

export interface SubmitCharge {
  /** Our reference, committed before the call. The rail knows the charge by it. */
  readonly reference: string
  /** Whose charge it is, for the log. The rail gets neither. */
  readonly merchantId: MerchantId
  readonly object: PaymentIntentId
  readonly amountMinor: number
  readonly currency: Currency
  readonly payer: Msisdn | null
  /** Null if the confirm named none. The rail then uses its default. */
  readonly locale: Locale | null
  /** Null if the deployment takes no callbacks. */
  readonly callbackUrl: string | null
  readonly returnUrl: string | null
  /** The adapter must not begin to send after this instant. */
  readonly deadlineMs: number
}

export interface Decline {
  readonly code: DeclineCode
  /** `merchant_config` means that the deployment must act, and not the payer. It raises an alert. */
  readonly actor: 'payer' | 'merchant_config' | 'rail'
  /** The rail's own words, untrusted. They are stored apart, so that an erasure can redact them. */
  readonly railCode: string | null
  readonly railMessage: string | null
}

/** Facts about a failed exchange. Contains no body, number or credential, so it may be logged. */
export interface RailEvidence {
  readonly operation: 'token' | 'submit' | 'query' | 'refund' | 'query_refund' | 'lookup'
  readonly httpStatus: number | null
  readonly railCode: string | null
  readonly errno: string | null
  readonly elapsedMs: number
}

/** For a call that was not made, or that an adapter broke off with an exception. */
export const noEvidence = (operation: RailEvidence['operation']): RailEvidence => ({
  operation,
  httpStatus: null,
  railCode: null,
  errno: null,
  elapsedMs: 0,
})

export type SubmitOutcome =
  | {
      readonly kind: 'accepted'
      readonly railToken: string | null
      readonly callbackSecret: string | null
      readonly redirectUrl: string | null
    }
  | NotAccepted

type NotAccepted =
  | { readonly kind: 'declined'; readonly decline: Decline }
  | { readonly kind: 'not_sent'; readonly evidence: RailEvidence }
  /** The rail may or may not have it. Only a status query can tell. */
  | { readonly kind: 'unknown'; readonly evidence: RailEvidence }

/** The call never left this process: its queue was full, or the time was over before a connection was free. */
export interface HeldBack {
  readonly kind: 'held_back'
  readonly evidence: RailEvidence
}

export interface ChargeAtRail {
  /** Null or absent while its outcome is open. */
  readonly settledAtMs?: number | null
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
      /**
       * As the rail reports them, in minor units. Null if it never reports them. A negative amount or an empty
       * currency stands for a value that could not be parsed. No charge has one.
       */
      readonly amountMinor: number | null
      readonly currency: string | null
    }
  | { readonly kind: 'failed'; readonly decline: Decline }
  /** The wallet's own answer that it has no such charge. A gateway's 404 does not count. */
  | { readonly kind: 'not_found' }
  /** An unknown status word, which counts as pending and raises an alert. */
  | { readonly kind: 'unknown_status'; readonly status: string }
  | { readonly kind: 'unavailable'; readonly evidence: RailEvidence }
  | HeldBack

export type QueryAnswer = Exclude<QueryOutcome, HeldBack>

export interface SubmitRefund {
  readonly reference: string
  readonly merchantId: MerchantId
  readonly object: RefundId | ChargeReturnId
  readonly amountMinor: number
  readonly currency: Currency
  readonly destination: Msisdn
  readonly deadlineMs: number
}

/** Accepted means that the rail has the instruction, and not that money has moved (spec 4.5.1). */
export type RefundOutcome =
  | { readonly kind: 'accepted' }
  | NotAccepted
  | HeldBack
  /**
   * The rail named a reason to refuse, but with a status that does not prove it, and one status query right after
   * found nothing. The rail may still pay. The refusal is final once the rail has gone on answering not-found.
   */
  | { readonly kind: 'refusal_unconfirmed'; readonly decline: Decline }

export interface RailRefunds {
  /** The rail takes a reference only once. A refund that it may have can then be sent again under the same one. */
  readonly dedupes: boolean
  submitRefund(refund: SubmitRefund): Promise<RefundOutcome>
  queryRefund(reference: string): Promise<QueryOutcome>
}

export type AccountHolderOutcome =
  | { readonly kind: 'found'; readonly name: string | null; readonly active: boolean | null }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'unavailable'; readonly evidence: RailEvidence }

export interface HolderLookup {
  /** Merchants take turns for free connections. */
  readonly merchantId: MerchantId
  readonly msisdn: Msisdn
}

interface RailAccountHolders {
  findAccountHolder(lookup: HolderLookup): Promise<AccountHolderOutcome>
}

/** How a callback finds its charge. It has no field for a status, because a callback never changes state (spec 1.6). */
export interface CallbackReference {
  readonly by: 'reference' | 'callback_secret'
  readonly value: string
}

/**
 * One rail. Its methods return outcomes and never throw for what a rail does: an exception that is taken for
 * "failed" makes an integration charge twice.
 */
export interface RailAdapter {
  readonly code: RailCode
  readonly displayName: string
  readonly capabilities: RailCapabilities
  /** The longest time of submitCharge or submitRefund, from call to answer. Holds of idempotency keys outlast it. */
  readonly submitTimeoutMs: number
  /** Calls of one kind, such as status queries, that it takes at once. Absent if it sets no limit. */
  readonly callsMax?: number
  readonly callbacks: boolean
  /** Mints the reference of a charge or refund at this rail. Called inside the transaction that commits it. */
  mintReference(): string
  submitCharge(charge: SubmitCharge): Promise<SubmitOutcome>
  queryCharge(charge: ChargeAtRail): Promise<QueryOutcome>
  /** Null on a rail that cannot pay out (spec 4.5.2). */
  readonly refunds: RailRefunds | null
  readonly accountHolders: RailAccountHolders | null
  /** Reads the reference that `callbackUrl` has. Anybody can send it at any rate, so it must cost little. */
  parseCallbackQuery(query: URLSearchParams): CallbackReference | null
  /** Reads a callback whose address has no reference. It is called at the pace of callbacks. */
  parseCallbackBody(body: Uint8Array): CallbackReference | null
  close(): Promise<void>
}

export type Rails = ReadonlyMap<RailCode, RailAdapter>
