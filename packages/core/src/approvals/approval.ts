import type { ApprovalRequest as WireRequest, Currency } from '@merchant-payments/contract'
import { DAY_MS } from '../base/clock.ts'
import type { AuditFacts, Staff } from '../audit/render.ts'
import type { ApprovalRequestId, CustomerId, MerchantId, PaymentIntentId } from '../base/ids.ts'
import type { Msisdn } from '../base/phone.ts'

/** docs/spec-gaps.md, staff: a request expires after this time without a decision. */
export const APPROVAL_LIFE_MS = DAY_MS

export type ApprovalKind = WireRequest['kind']

export interface RequestedChange {
  readonly kind: ApprovalKind
  readonly target: string
  readonly merchantId: MerchantId
  readonly intentId: PaymentIntentId
  readonly customerId: CustomerId | null
  readonly amountMinor: number
  readonly currency: Currency
  /** The number to pay. Null for a ruling, and after an erasure. */
  readonly destination: Msisdn | null
  /** For a ruling only: the transaction's reference in the rail's statement. */
  readonly statement?: string | null
  readonly seen: AuditFacts
}

export interface Approval extends RequestedChange {
  readonly id: ApprovalRequestId
  readonly status: WireRequest['status']
  readonly requestedBy: Pick<Staff, 'subject' | 'name'>
  readonly reason: string
  readonly expiresAtMs: number
}

/** The number of a request is named at its time. */
export const requestedAtMs = ({ expiresAtMs }: Approval): number => expiresAtMs - APPROVAL_LIFE_MS
