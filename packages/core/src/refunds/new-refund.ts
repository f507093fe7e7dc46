import { Refusal, type RefundReason } from '@merchant-payments/contract'
import type { CommandDeps, Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
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
import { findRefundable } from './store.ts'

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
  /** What the refunds had reserved when the amount was computed. Null if the merchant named the amount. */
  readonly reservedMinor: number | null
}

interface RefundTarget {
  readonly intentId: PaymentIntentId
  readonly destination: Destination
}

export function parseTarget(
  deps: Pick<Deps, 'rails' | 'deployment'>,
  { paymentIntent, destination }: CreateRefund,
): RefundTarget | Refusal {
  const intentId = parseId('pi', paymentIntent)
  if (intentId === null) return noIntentOfBody()
  return orRefusal(() => ({ intentId, destination: parseDestination(deps, destination) }))
}

/** @throws Refusal authentication_error */
export async function planRefund(
  { db }: Pick<CommandDeps, 'db'>,
  merchantId: MerchantId,
  { intentId, destination }: RefundTarget,
  wanted: CreateRefund,
  nowMs: number,
): Promise<NewRefund | Refusal> {
  const { open, found } = await findRefundable(db.reader, merchantId, intentId)
  if (!open) throw clientDisabled()
  if (found === undefined) return noIntentOfBody()
  const { intent, rail: paidBy, reservedMinor } = found
  if (intent.status !== 'succeeded') return notSucceeded()
  if (paidBy !== destination.rail.code) return wrongDestination('must be on the rail that took the payment')
  if (found.unproven) return unproven()
  const leftMinor = intent.amountMinor - reservedMinor
  const amountMinor = wanted.amountMinor ?? leftMinor
  if (leftMinor === 0) return wrongAmount('has been refunded in full')
  if (amountMinor > leftMinor) return wrongAmount('is more than what is left to refund')
  const refund = pendingRefund(intent, wanted, destination, amountMinor, nowMs)
  return {
    refund,
    dueAtMs: firstQueryAt(refund.submitDeadlineMs),
    reservedMinor: wanted.amountMinor === null ? reservedMinor : null,
  }
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
