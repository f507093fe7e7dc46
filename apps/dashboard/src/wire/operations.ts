import type * as contract from '@merchant-payments/contract'
import type { z } from 'zod'

/**
 * The staff's reads by our names. Only the types of the contract's declarations are imported, so the page
 * ships no schema.
 */
interface Reads {
  readonly me: typeof contract.retrieveStaffMember
  readonly overview: typeof contract.retrieveOverview
  readonly attentionItems: typeof contract.listAttentionItems
  readonly bulkJobs: typeof contract.listBulkJobs
  readonly savedViews: typeof contract.listSavedViews
  readonly bulkJob: typeof contract.retrieveBulkJob
  readonly payments: typeof contract.listStaffIntents
  readonly payment: typeof contract.retrieveStaffIntent
  readonly charges: typeof contract.listStaffCharges
  readonly paymentTotals: typeof contract.totalStaffIntents
  readonly chargeTotals: typeof contract.totalStaffCharges
  readonly refundTotals: typeof contract.totalStaffRefunds
  readonly refunds: typeof contract.listStaffRefunds
  readonly deliveries: typeof contract.listStaffDeliveries
  readonly delivery: typeof contract.retrieveStaffDelivery
  readonly events: typeof contract.listStaffEvents
  readonly event: typeof contract.retrieveStaffEvent
  readonly fanouts: typeof contract.listFanouts
  readonly customers: typeof contract.listStaffCustomers
  readonly customer: typeof contract.retrieveStaffCustomer
  readonly invoices: typeof contract.listStaffInvoices
  readonly invoice: typeof contract.retrieveStaffInvoice
  readonly merchantClients: typeof contract.listMerchantClients
  readonly merchantClient: typeof contract.retrieveMerchantClient
  readonly rails: typeof contract.listStaffRails
  readonly rail: typeof contract.retrieveStaffRail
  readonly customerActivity: typeof contract.retrieveCustomerActivity
  readonly clientActivity: typeof contract.retrieveClientActivity
  readonly statements: typeof contract.listStatements
  readonly statement: typeof contract.retrieveStatement
  readonly analytics: typeof contract.retrieveAnalytics
  readonly railHealth: typeof contract.listRailHealth
  readonly railFindings: typeof contract.listRailFindings
  readonly financeSummary: typeof contract.retrieveFinanceSummary
  readonly approvalRequests: typeof contract.listApprovalRequests
  readonly auditEntries: typeof contract.listAuditEntries
  readonly colleagues: typeof contract.listColleagues
}

/** A test compares paths, methods and roles with the contract. */
export const reads: { readonly [Name in keyof Reads]: `/${string}` } = {
  me: '/me',
  overview: '/overview',
  attentionItems: '/attention_items',
  bulkJobs: '/bulk_jobs',
  savedViews: '/saved_views',
  bulkJob: '/bulk_jobs/{id}',
  payments: '/payment_intents',
  payment: '/payment_intents/{id}',
  charges: '/charges',
  paymentTotals: '/totals/payment_intents',
  chargeTotals: '/totals/charges',
  refundTotals: '/totals/refunds',
  refunds: '/refunds',
  deliveries: '/deliveries',
  delivery: '/deliveries/{id}',
  events: '/events',
  event: '/events/{id}',
  fanouts: '/fanouts',
  customers: '/customers',
  customer: '/customers/{id}',
  invoices: '/invoices',
  invoice: '/invoices/{id}',
  merchantClients: '/merchant_clients',
  merchantClient: '/merchant_clients/{id}',
  rails: '/rails',
  rail: '/rails/{id}',
  customerActivity: '/customers/{id}/activity',
  clientActivity: '/merchant_clients/{id}/activity',
  statements: '/statements',
  statement: '/statements/{id}',
  analytics: '/analytics',
  railHealth: '/rail_health',
  railFindings: '/rail_findings',
  financeSummary: '/finance_summary',
  approvalRequests: '/approval_requests',
  auditEntries: '/audit_entries',
  colleagues: '/colleagues',
}

/** A read by POST, so that its query is in no URL. */
export const LOOKUP = '/lookup'
/** Answers with the path of a file. */
export const EXPORTS = '/exports'
/** A statement is begun, its file is sent in parts, and it is compared until that is done. */
export const STATEMENTS = '/statements'
export const STATEMENT_LINES = '/statements/{id}/lines'
export const COMPARE = '/statements/{id}/compare'

export type ReadName = keyof Reads
export type Answer<Name extends ReadName> = z.output<Reads[Name]['ok']['schema']>

/** The reads that return a list. */
export type ListName = {
  [Name in ReadName]: Answer<Name> extends { readonly data: readonly unknown[] } ? Name : never
}[ReadName]
export type Item<Name extends ListName> = Answer<Name>['data'][number]

/** Each change takes the id of its object, if there is one, and a reason. */
export const changes = {
  cancelPayment: { path: '/payment_intents/{id}/cancel', role: 'operator' },
  refundPayment: { path: '/payment_intents/{id}/refund', role: 'operator' },
  queryCharge: { path: '/charges/{id}/query', role: 'operator' },
  resolveCharge: { path: '/charges/{id}/resolve', role: 'operator' },
  returnCharge: { path: '/charges/{id}/return', role: 'operator' },
  approveRequest: { path: '/approval_requests/{id}/approve', role: 'operator' },
  declineRequest: { path: '/approval_requests/{id}/decline', role: 'operator' },
  acknowledgeItem: { path: '/attention_items/{id}/acknowledge', role: 'operator' },
  resolveItem: { path: '/attention_items/{id}/resolve', role: 'operator' },
  saveView: { path: '/saved_views', role: 'operator' },
  removeView: { path: '/saved_views/{id}/remove', role: 'operator' },
  createBulkJob: { path: '/bulk_jobs', role: 'operator' },
  cancelBulkJob: { path: '/bulk_jobs/{id}/cancel', role: 'operator' },
  recoverDeliveries: { path: '/merchant_clients/{id}/recover', role: 'operator' },
  replayDelivery: { path: '/deliveries/{id}/replay', role: 'operator' },
  retryFanout: { path: '/fanouts/{id}/retry', role: 'operator' },
  voidInvoice: { path: '/invoices/{id}/void', role: 'operator' },
  markInvoiceUncollectible: { path: '/invoices/{id}/mark_uncollectible', role: 'operator' },
  closeFinding: { path: '/rail_findings/{id}/close', role: 'operator' },
  closeStatement: { path: '/statements/{id}/close', role: 'operator' },
  reopenStatement: { path: '/statements/{id}/reopen', role: 'operator' },
  eraseCustomer: { path: '/customers/{id}/erase', role: 'admin' },
  disableClient: { path: '/merchant_clients/{id}/disable', role: 'admin' },
  enableClient: { path: '/merchant_clients/{id}/enable', role: 'admin' },
} as const satisfies Record<string, { path: `/${string}`; role: contract.StaffRole }>

export type ChangeName = keyof typeof changes

/** The longest reason: docs/spec-gaps.md, staff. */
export const REASON_CHARS_MAX = 500
