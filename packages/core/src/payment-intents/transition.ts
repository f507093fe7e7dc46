import type { InvoiceStatus } from '@merchant-payments/contract'
import { instantOrNull } from '@merchant-payments/db'
import {
  type CustomerId,
  type InvoiceId,
  type MerchantId,
  type PaymentIntentId,
  uuidOf,
} from '../base/ids.ts'
import type { Raised } from '../base/raised.ts'
import type { Charge, ChargeChange } from '../charges/charge.ts'
import type { NewEvent } from '../commit/event.ts'
import { type KeyEffect, keyFields } from '../commit/key-effects.ts'
import { eventFields } from '../commit/write-events.ts'
import { redactBody, redactText } from '../base/redact.ts'
import type { Intent, IntentChange } from './intent.ts'

interface InvoicePayment {
  readonly before: { readonly merchantId: MerchantId; readonly id: InvoiceId; readonly revision: number }
  readonly after: {
    readonly status: InvoiceStatus
    readonly intentId: PaymentIntentId | null
    readonly customerId: CustomerId
    readonly paidAtMs: number | null
  }
  readonly event: NewEvent | null
}

export interface Transition {
  /** As it was read. Its revision guards the charge's move, too. */
  readonly intent: Intent
  /** Null if only the charge moves. */
  readonly change: Omit<IntentChange, 'before'> | null
  readonly charge: ChargeChange | null
  readonly invoice?: InvoicePayment | null
  readonly key: KeyEffect | null
  readonly raised?: readonly Raised[]
}

/** The rail's words may name the payer. The customer's row decides which of the two versions is written. */
export function transitionRows(transition: Transition, n: number, nowMs: number) {
  const plain = rowOf(transition, n, nowMs)
  const customer = payerQuoted(transition)
  if (customer === null) return [plain]
  const payer = uuidOf(customer)
  const redacted = rowOf(redactTransition(transition), n, nowMs)
  return [
    { ...plain, payer, erased: false },
    { ...redacted, payer, erased: true },
  ]
}

function rowOf(transition: Transition, n: number, nowMs: number) {
  const { intent, change, charge, invoice, key } = transition
  const customer = intent.customerId === null ? null : uuidOf(intent.customerId)
  return {
    n,
    merchant_id: intent.merchantId,
    intent_id: uuidOf(intent.id),
    intent_revision: intent.revision,
    ...(invoice ? { pays_invoice: true } : {}),
    ...(change === null ? {} : intentFields(change, nowMs)),
    ...(charge === null ? {} : chargeFields(charge)),
    ...(key === null ? {} : keyFields(key, customer, nowMs)),
  }
}

function intentFields({ after, event }: NonNullable<Transition['change']>, nowMs: number) {
  return {
    status: after.status,
    error_code: after.lastPaymentError?.code ?? null,
    error_decline_code: after.lastPaymentError?.declineCode ?? null,
    error_message: after.lastPaymentError?.message ?? null,
    error_rail: after.lastPaymentError?.rail ?? null,
    redirect_url: after.redirectUrl,
    return_url: after.returnUrl,
    canceled_at: instantOrNull(after.canceledAtMs),
    cancellation_reason: after.cancellationReason,
    ...eventFields(event, nowMs),
  }
}

export function paidInvoiceRow({ before, after, event }: InvoicePayment, n: number, nowMs: number) {
  return {
    n,
    merchant_id: before.merchantId,
    invoice_id: uuidOf(before.id),
    invoice_revision: before.revision,
    status: after.status,
    intent_id: after.intentId === null ? null : uuidOf(after.intentId),
    paid_at: instantOrNull(after.paidAtMs),
    ...eventFields(event, nowMs),
  }
}

function chargeFields({ before, after }: ChargeChange) {
  return {
    charge_id: uuidOf(before.id),
    charge_revision: before.revision,
    charge_status: after.status,
    rail_token: after.railToken,
    callback_secret: after.callbackSecret,
    rail_txn_id: after.railTxnId,
    rail_code: after.railCode,
    rail_message: after.railMessage,
    acknowledged_at: instantOrNull(after.acknowledgedAtMs),
    settled_at: instantOrNull(after.settledAtMs),
    ...jobFields(before, after),
  }
}

/**
 * A job stays if the charge's next query does. But a callback may have come during a submit: the change that ends
 * the submit reads its mark.
 */
export function jobFields(before: Charge, after: Charge) {
  if (after.nextQueryAtMs === null) return { job: 'ends' }
  if (after.nextQueryAtMs === before.nextQueryAtMs && before.status !== 'submitting') return {}
  return {
    job: 'moves',
    rail: after.rail,
    due_at: instantOrNull(after.nextQueryAtMs),
    rung: after.queryRung,
    last_query_at: instantOrNull(after.lastQueryAtMs),
  }
}

/** The customer who may be named in the rail's texts that a transition stores. Null if it stores none. */
export function payerQuoted({ intent, change, charge }: Transition): CustomerId | null {
  const { customerId, lastPaymentError } = change?.after ?? intent
  const { railCode = null, railMessage = null } = charge?.after ?? {}
  return lastPaymentError !== null || railCode !== null || railMessage !== null ? customerId : null
}

export function redactTransition(transition: Transition): Transition {
  const { change, charge, key } = transition
  return {
    ...transition,
    change: change && redactChange(change),
    charge: charge && { ...charge, after: { ...charge.after, ...redactWords(charge.after) } },
    key:
      key === null || key.kind === 'release'
        ? key
        : { ...key, answer: { ...key.answer, body: redactBody(key.answer.body) } },
  }
}

function redactChange({ after, event }: NonNullable<Transition['change']>): Transition['change'] {
  const { lastPaymentError: error } = after
  const lastPaymentError = error && {
    ...error,
    declineCode: redactText(error.declineCode),
    message: redactText(error.message),
  }
  return {
    after: { ...after, lastPaymentError },
    event: event && { ...event, body: redactBody(event.body) },
  }
}

const redactWords = ({ railCode, railMessage }: { railCode: string | null; railMessage: string | null }) => ({
  railCode: redactText(railCode),
  railMessage: redactText(railMessage),
})
