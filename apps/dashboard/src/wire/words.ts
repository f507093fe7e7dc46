import type {
  AnalyticsSize,
  AttentionAlert,
  AttentionItem,
  ApprovalRequest,
  AuditAction,
  BulkJob,
  ExportFile,
  IntentStatus,
  StaffCharge,
  StaffDelivery,
  StaffIntent,
  StaffInvoice,
  StaffRefund,
  StatementVerdict,
} from '@merchant-payments/contract'

/** The values that a filter offers. The compiler checks that they are all of the contract's. */
const all =
  <T extends string>() =>
  <const List extends readonly T[]>(
    list: List & ([T] extends [List[number]] ? unknown : never),
  ): readonly T[] =>
    list

export const intentStatuses = all<IntentStatus>()([
  'requires_payment_method',
  'processing',
  'succeeded',
  'canceled',
])
export const attentionStatuses = all<AttentionItem['status'] | 'waiting'>()([
  'waiting',
  'open',
  'acknowledged',
  'resolved',
])
export const attentionAlerts = all<AttentionAlert>()([
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
])
export const chargeStatuses = all<StaffCharge['status']>()([
  'submitting',
  'live',
  'unconfirmed',
  'succeeded',
  'duplicate',
  'failed',
  'abandoned',
])
export const declines = all<NonNullable<StaffIntent['last_payment_error']>['code']>()([
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
])
export const bulkStatuses = all<BulkJob['status']>()(['running', 'finished', 'canceled'])
export const chargeStates = ['open', 'stuck', 'duplicate', 'mismatch'] as const
export const refundQueues = ['waiting', 'resting'] as const
export const clientStatuses = ['enabled', 'disabled'] as const
export const deliveryStatuses = all<StaffDelivery['status'] | 'dead_lettered'>()([
  'pending',
  'succeeded',
  'exhausted',
  'dead_lettered',
])
export const refundStatuses = all<StaffRefund['status']>()([
  'requires_action',
  'pending',
  'failed',
  'canceled',
])
export const instructions = all<StaffRefund['instruction']>()(['unsent', 'sent', 'accepted', 'refused'])
export const invoiceStatuses = all<StaffInvoice['status']>()([
  'draft',
  'open',
  'paid',
  'void',
  'uncollectible',
])
export const approvalStatuses = all<ApprovalRequest['status']>()([
  'pending',
  'approved',
  'declined',
  'expired',
  'obsolete',
])
export const auditActions = all<AuditAction>()([
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
  'person.look_up',
  'export.create',
])
export const statementVerdicts = all<StatementVerdict>()([
  'ours_only',
  'theirs_only',
  'amount_differs',
  'duplicate',
])
export const analyticsSizes = all<AnalyticsSize>()(['5m', 'hour', 'day'])
export const exportKinds = all<ExportFile['of']>()([
  'payment_intents',
  'charges',
  'refunds',
  'finance_summary',
])
export const eventTypes = all<NonNullable<StaffDelivery['event_type']>>()([
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
])
