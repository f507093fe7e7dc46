import { Refusal, type RefundReason } from '@merchant-payments/contract'
import type { Session } from '@merchant-payments/db'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { afterErasure } from '../base/clock.ts'
import { orRefusal } from '../commit/answer-once.ts'
import { type MerchantId, mintId, parseId, type PaymentIntentId } from '../base/ids.ts'
import type { Metadata } from '../base/metadata.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { noIntentOfBody } from '../payment-intents/refusals.ts'
import { firstQueryAt, submitDeadlineOf } from '../rails/deadlines.ts'
import { refundsIn } from '../rails/known.ts'
import { type Destination, parseDestination, wrongDestination } from './destination.ts'
import type { Refund } from './refund.ts'
import { notSucceeded, unproven } from './refusals.ts'
import { findRefundable, type Refundable } from './store.ts'

export interface CreateRefund {
  readonly paymentIntent: string
  /** Null refunds all that is left of the intent. */
  readonly amountMinor: number | null
  readonly reason: RefundReason | null
  readonly metadata: Metadata
  readonly destination: Readonly<Record<string, unknown>>
}

export interface NewRefund {
  readonly refund: Refund<'pending'>
  readonly dueAtMs: number
  readonly reservedMinor: number
}

interface RefundTarget {
  readonly intentId: PaymentIntentId
  readonly destination: Destination
}

export function parseTarget(
  deps: Pick<Deps, 'rails' | 'deployment'>,
  { paymentIntent, destination }: CreateRefund,
): RefundTarget | Refusal {
  return orRefusal(() => {
    const parsed = parseDestination(deps, destination)
    const intentId = parseId('pi', paymentIntent)
    // After the destination, as for an unknown id.
    if (intentId === null) throw noIntentOfBody()
    return { intentId, destination: parsed }
  })
}

export async function readRefundable(
  { reader }: Session,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
): Promise<Refundable | undefined> {
  const { open, found } = await findRefundable(reader, merchantId, intentId)
  if (!open) throw clientDisabled()
  return found
}

export function judgePaid(
  found: Refundable | undefined,
  { destination }: RefundTarget,
): Refundable | Refusal {
  if (found === undefined) return noIntentOfBody()
  if (found.intent.status !== 'succeeded') return notSucceeded()
  if (found.rail !== destination.rail.code)
    return wrongDestination('must be on the rail that took the payment')
  return found.unproven ? unproven() : found
}

export function planRefund(
  { intent, reservedMinor, erasedAtMs }: Refundable,
  { destination }: RefundTarget,
  wanted: CreateRefund,
  nowMs: number,
): NewRefund | Refusal {
  const leftMinor = intent.amountMinor - reservedMinor
  const amountMinor = wanted.amountMinor ?? leftMinor
  if (leftMinor === 0) return wrongAmount('has been refunded in full')
  if (amountMinor > leftMinor) return wrongAmount('is more than what is left to refund')
  const openedAtMs = afterErasure(erasedAtMs, nowMs)
  const refund = pendingRefund(intent, wanted, destination, amountMinor, openedAtMs)
  return { refund, dueAtMs: firstQueryAt(refund.submitDeadlineMs), reservedMinor }
}

function pendingRefund(
  { merchantId, id: intentId, currency, customerId, livemode }: Intent,
  { reason, metadata }: CreateRefund,
  { rail, msisdn }: Destination,
  amountMinor: number,
  nowMs: number,
): Refund<'pending'> {
  const submitDeadlineMs = submitDeadlineOf(rail, nowMs)
  return {
    merchantId,
    id: mintId('re', nowMs),
    intentId,
    status: 'pending',
    amountMinor,
    currency,
    customerId,
    reason,
    failureReason: null,
    metadata,
    livemode,
    openedAtMs: nowMs,
    rail: rail.code,
    reference: rail.mintReference(),
    // Its state from the commit on, because the request is about to send it.
    instruction: refundsIn(rail, currency) === null ? 'unsent' : 'sent',
    destination: msisdn,
    submitDeadlineMs,
    refusal: null,
    railCode: null,
    railMessage: null,
    revision: 0,
  }
}

const wrongAmount = (message: string) => new Refusal('invalid_request', message, { param: 'amount' })
