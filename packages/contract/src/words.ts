/*
 * The closed lists of words that clients may send, and that answers have. The dashboard offers them in its filters, so
 * this file imports nothing: no schema comes with them.
 */

export const intentStatuses = ['requires_payment_method', 'processing', 'succeeded', 'canceled'] as const

/** Reasons for a rail's refusal: the closed set of `last_payment_error.code` (docs/spec-gaps.md, last_payment_error). */
export const declineCodes = [
  'insufficient_funds',
  'insufficient_funds_or_limit',
  'payer_declined',
  'approval_timeout',
  'redirect_expired',
  'payer_not_found',
  'payer_inactive',
  'limit_reached',
  'payee_refused',
  'rail_misconfigured',
  'rail_processing_error',
  'rail_unavailable',
  'not_accepted',
  'declined',
] as const

export const refundStatuses = ['requires_action', 'pending', 'failed', 'canceled'] as const

export const invoiceStatuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const

/** The closed list of spec 6.1. No other type can be written. */
export const eventTypes = [
  'payment_intent.created',
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.refunded',
  'charge.refund.updated',
  'checkout.session.expired',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.voided',
] as const

export const chargeStatuses = [
  'submitting',
  'live',
  'unconfirmed',
  'succeeded',
  'duplicate',
  'failed',
  'abandoned',
] as const

export const chargeQueues = ['open', 'stuck', 'duplicate', 'mismatch'] as const

export const instructionStates = ['unsent', 'sent', 'accepted', 'refused'] as const
/** The states of an instruction that never change. `packages/core/test/lifecycles.test.ts` compares them with its moves. */
export const instructionEnds = ['refused'] as const satisfies (typeof instructionStates)[number][]

export const refundQueues = ['waiting', 'resting'] as const

export const deliveryStatuses = ['pending', 'succeeded', 'exhausted'] as const

/** The dashboard shows a dead letter apart: its status is pending, but it is not posted any more. */
export const shownDeliveryStatuses = [...deliveryStatuses, 'dead_lettered'] as const

/** Alerts about an object that a person handles. */
export const attentionAlerts = [
  'charge_stuck',
  'charge_amount_mismatch',
  'charge_duplicate_success',
  'invoice_paid_twice',
  'charge_proof_lost',
  'charge_vanished',
  'charge_rests',
  'refund_stuck',
  'refund_rests',
  'refund_paid_after_failure',
  'refund_amount_mismatch',
  'rail_unknown_status',
  'rail_misconfigured',
  'rail_adapter_fault',
  'webhook_exhausted',
  'webhook_endpoint_gone',
  'delivery_dead_lettered',
  'fanout_failed',
] as const

export const attentionStatuses = ['open', 'acknowledged', 'resolved'] as const

export const shownAttentionStatuses = ['waiting', ...attentionStatuses] as const

export const approvalStatuses = ['pending', 'approved', 'declined', 'expired', 'obsolete'] as const

export const bulkStatuses = ['running', 'finished', 'canceled'] as const

export const clientStatuses = ['enabled', 'disabled'] as const

/** Every change that staff can make, every read that shows personal data, and what `reconcile:rails` found. */
export const auditActions = [
  'payment_intent.cancel',
  'refund.create',
  'charge.query',
  'charge.resolve',
  'charge.return',
  'approval.request',
  'approval.approve',
  'approval.decline',
  'approval.lapse',
  'delivery.replay',
  'fanout.retry',
  'customer.erase',
  'invoice.void',
  'invoice.mark_uncollectible',
  'merchant_client.disable',
  'merchant_client.enable',
  'merchant_client.move',
  'attention.acknowledge',
  'attention.resolve',
  'bulk_job.create',
  'bulk_job.cancel',
  'view.save',
  'view.remove',
  'rail_finding.record',
  'rail_finding.close',
  'statement.create',
  'statement.close',
  'statement.reopen',
  'customer.view',
  'number.look_up',
  'export.create',
  'person.look_up',
] as const

export const statementVerdicts = ['ours_only', 'theirs_only', 'amount_differs', 'duplicate'] as const

export const analyticsSizes = ['5m', 'hour', 'day'] as const

export const exportKinds = ['payment_intents', 'charges', 'refunds', 'finance_summary'] as const
