export { deliveryDelaysMs } from './delivery-ladder.ts'
export { reservedSegments, SEARCH_SEGMENT } from './reserved-segments.ts'
export {
  BrowserIntent,
  BrowserSession,
  confirmIntentInBrowser,
  retrieveAccountHolderInBrowser,
  retrieveIntentInBrowser,
  retrieveSessionInBrowser,
} from './browser.ts'
export {
  CheckoutSession,
  createCheckoutSession,
  expireCheckoutSession,
  listCheckoutSessions,
  type PaymentStatus,
  retrieveCheckoutSession,
  type SessionStatus,
  type UiMode,
} from './checkout-sessions.ts'
export { AccountHolder, retrieveAccountHolder } from './account-holders.ts'
export { currencies, type Currency, currencyDigits, isCurrency } from './currency.ts'
export {
  createCustomer,
  Customer,
  deleteCustomer,
  DeletedCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from './customers.ts'
export {
  Analytics,
  ANALYTICS_BUILDS_MAX,
  ANALYTICS_MARKS_MAX,
  ANALYTICS_FINE_DAYS,
  analyticsDaysMax,
  type AnalyticsPoint,
  type AnalyticsSize,
  listRailHealth,
  RailHealth,
  retrieveAnalytics,
} from './dash/analytics.ts'
export {
  ApprovalRequest,
  approveRequest,
  declineRequest,
  listApprovalRequests,
} from './dash/approval-requests.ts'
export {
  acknowledgeAttentionItem,
  type AttentionAlert,
  AttentionItem,
  listAttentionItems,
  resolveAttentionItem,
} from './dash/attention-items.ts'
export {
  BulkJob,
  cancelBulkJob,
  createBulkJob,
  listBulkJobs,
  recoverDeliveries,
  retrieveBulkJob,
} from './dash/bulk-jobs.ts'
export { type AuditAction, AuditEntry } from './dash/audit-entries.ts'
export { listAuditEntries, listColleagues, StaffColleague } from './dash/audit-log.ts'
export { listStaffEvents, retrieveStaffEvent, StaffEvent, StaffEventDetail } from './dash/events.ts'
export { MerchantDetail, retrieveMerchantClient } from './dash/merchants.ts'
export { listSavedViews, removeView, SavedView, saveView, SHARED_VIEWS_MAX } from './dash/saved-views.ts'
export type { AmountRange } from './dash/common.ts'
export { Totals, totalStaffCharges, totalStaffIntents, totalStaffRefunds } from './dash/totals.ts'
export { returnCharge, StaffChargeReturn } from './dash/charge-returns.ts'
export { listStaffCharges, queryCharge, resolveCharge, StaffCharge } from './dash/charges.ts'
export {
  eraseStaffCustomer,
  listStaffCustomers,
  retrieveStaffCustomer,
  StaffCustomer,
} from './dash/customers.ts'
export {
  listStaffDeliveries,
  replayDelivery,
  retrieveStaffDelivery,
  StaffDelivery,
  StaffDeliveryDetail,
} from './dash/deliveries.ts'
export {
  Activity,
  ACTIVITY_MAX,
  ACTIVITY_OF_KIND_MAX,
  ActivityEntry,
  type ActivitySource,
  retrieveClientActivity,
  retrieveCustomerActivity,
} from './dash/activity.ts'
export { RAIL_ALERTS_MAX, RAIL_ERRORS_MAX, retrieveStaffRail, StaffRailDetail } from './dash/rails.ts'
export {
  disableMerchantClient,
  enableMerchantClient,
  listMerchantClients,
  listStaffRails,
  MerchantClient,
  StaffRail,
} from './dash/deployment.ts'
export {
  createExport,
  EXPORT_DAYS_MAX,
  EXPORT_ROWS_MAX,
  ExportFile,
  type ExportFormat,
  type ExportKind,
} from './dash/exports.ts'
export { listFanouts, retryFanout, StaffFanout } from './dash/fanouts.ts'
export {
  FINANCE_DAYS_MAX,
  FINANCE_ROWS_MAX,
  FINANCE_SUMMED_MAX,
  type FinanceDay,
  FinanceSummary,
  retrieveFinanceSummary,
} from './dash/finance.ts'
export {
  listStaffInvoices,
  markStaffInvoiceUncollectible,
  retrieveStaffInvoice,
  StaffInvoice,
  voidStaffInvoice,
} from './dash/invoices.ts'
export { LookupResult, lookUp } from './dash/lookup.ts'
export { retrieveStaffMember, SignedOut, signOut, StaffMember } from './dash/me.ts'
export { Overview, retrieveOverview } from './dash/overview.ts'
export {
  cancelStaffIntent,
  listStaffIntents,
  refundStaffIntent,
  retrieveStaffIntent,
  StaffIntent,
  StaffIntentDetail,
} from './dash/payment-intents.ts'
export {
  closeRailFinding,
  listRailFindings,
  RAIL_FINDINGS_MAX,
  RailFinding,
} from './dash/rail-findings.ts'
export { listStaffRefunds, StaffRefund } from './dash/refunds.ts'
export {
  closeStatement,
  compareStatement,
  createStatement,
  listStatements,
  reopenStatement,
  retrieveStatement,
  Statement,
  STATEMENT_PART_BYTES_MAX,
  STATEMENT_PARTS_MAX,
  StatementDetail,
  type StatementDifference,
  type StatementVerdict,
} from './dash/statements.ts'
export { type ZoneName, zoneOffsetSec } from './dash/zones.ts'
export { type DeclineCode, declineMessages } from './declines.ts'
export {
  type ErrorCode,
  type ErrorKind,
  errorKinds,
  leadingWordOf,
  Refusal,
  type StaffErrorCode,
} from './errors.ts'
export { type Example, exampleIds, type Json } from './examples.ts'
export { listEvents, retrieveEvent } from './event-operations.ts'
export { Event, EVENT_BYTES_MAX, type EventType, eventKinds, type WrittenEventType } from './events.ts'
export { webAddress } from './web-address.ts'
export { idPattern, METADATA_KEYS_MAX, type SecondsRange } from './form.ts'
export {
  createInvoiceItem,
  type DeletedInvoiceItem,
  deleteInvoiceItem,
  InvoiceItem,
  retrieveInvoiceItem,
  updateInvoiceItem,
} from './invoice-items.ts'
export {
  createInvoice,
  type DeletedInvoice,
  deleteInvoice,
  finalizeInvoice,
  Invoice,
  INVOICE_LINES_BYTES_MAX,
  INVOICE_LINES_MAX,
  type InvoiceStatus,
  listInvoices,
  markInvoiceUncollectible,
  payInvoice,
  retrieveInvoice,
  updateInvoice,
  voidInvoice,
} from './invoices.ts'
export { type List, listOf } from './list.ts'
export {
  errorsOf,
  isOperation,
  methodsOf,
  type Operation,
  type StaffRole,
  staffRoles,
  type Surface,
  takesKey,
} from './operation.ts'
export {
  type CancellationReason,
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  type IntentStatus,
  listPaymentIntents,
  PaymentIntent,
  retrievePaymentIntent,
} from './payment-intents.ts'
export {
  cancelRefund,
  createRefund,
  listRefunds,
  Refund,
  type RefundFailure,
  type RefundReason,
  type RefundStatus,
  retrieveRefund,
  updateRefund,
} from './refunds.ts'
export {
  analyticsSizes,
  approvalStatuses,
  attentionAlerts,
  auditActions,
  declineCodes,
  eventTypes,
  exportKinds,
  intentStatuses,
  invoiceStatuses,
  refundStatuses,
  statementVerdicts,
} from './words.ts'
