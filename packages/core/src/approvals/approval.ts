import type { ApprovalRequest as WireRequest, Currency } from '@merchant-payments/contract'
import type { AuditFacts, Staff } from '../audit/render.ts'
import type { ApprovalRequestId, CustomerId, MerchantId, PaymentIntentId } from '../base/ids.ts'
import type { Msisdn } from '../base/phone.ts'

/** docs/spec-gaps.md, staff: a request that nobody approves ends after so long. */
export const APPROVAL_LIFE_MS = 24 * 60 * 60_000

export type ApprovalKind = WireRequest['kind']

/** What a staff member asks for, and how its object stood. */
export interface Asked {
  readonly kind: ApprovalKind
  /** Of a charge or an intent. */
  readonly target: string
  readonly merchantId: MerchantId
  readonly intentId: PaymentIntentId
  readonly customerId: CustomerId | null
  readonly amountMinor: number
  readonly currency: Currency
  /** Who would be paid; null of a ruling, and once an erasure took it. */
  readonly destination: Msisdn | null
  /** Of a ruling: the transaction's reference in the rail's statement. */
  readonly statement?: string | null
  /** What the change would log as its `before`. */
  readonly seen: AuditFacts
}

/** A request as it is stored. */
export interface Approval extends Asked {
  readonly id: ApprovalRequestId
  readonly status: WireRequest['status']
  readonly requestedBy: Pick<Staff, 'subject' | 'name'>
  readonly reason: string
  readonly expiresAtMs: number
}
