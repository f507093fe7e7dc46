export { findAccountHolder } from './account-holders/find.ts'
export { type Alert, type AlertFacts, type AlertName, alertNames } from './alerts.ts'
export { type Changed, type StaffRequest } from './audit/change.ts'
export { type ExpireReport, expireRequests } from './approvals/expire.ts'
export { approvalLifecycle } from './approvals/lifecycle.ts'
export { listAuditEntries } from './audit/queries.ts'
export type { Staff } from './audit/render.ts'
export { getAuditSeal } from './audit/store.ts'
export type { Brand } from './brand.ts'
export {
  accessBySecret,
  accessIntent,
  confirmFromBrowser,
  type Credentials,
  getBrowserIntent,
  getBrowserSession,
  nothingThere,
} from './browser/access.ts'
export { findPayersAccountHolder } from './browser/account-holder.ts'
export { claimDueReturns, instructReturnPart, instructReturns } from './charge-returns/instruct.ts'
export type { Charge } from './charges/charge.ts'
export { chargeLifecycle } from './charges/lifecycle.ts'
export {
  claimDueCharges,
  SETTLE_BATCH_MAX,
  settleCharges,
  settlePart,
  type SettleReport,
} from './charges/settle.ts'
export { isCallbackKnown, pullForward } from './charges/store.ts'
export { createSession } from './checkout-sessions/create.ts'
export { expireSession } from './checkout-sessions/expire.ts'
export { lapseSessions, type LapseReport } from './checkout-sessions/lapse.ts'
export { sessionLifecycle } from './checkout-sessions/lifecycle.ts'
export { getSession, listCheckoutSessions } from './checkout-sessions/queries.ts'
export { type Clock, secondsOf, systemClock, type UnixSeconds } from './clock.ts'
export { createDatabaseClock } from './database-clock.ts'
export { createCustomer } from './customers/create.ts'
export type { Address, CustomerChanges } from './customers/customer.ts'
export { deleteCustomer } from './customers/delete.ts'
export { getCustomer, listCustomers } from './customers/queries.ts'
export { updateCustomer } from './customers/update.ts'
export { approveRequest, declineRequest } from './dash/approvals/changes.ts'
export { listApprovalRequests } from './dash/approvals/queries.ts'
export { returnCharge } from './dash/charge-returns/changes.ts'
export { queryCharge, resolveCharge } from './dash/charges/changes.ts'
export { listStuckCharges, STUCK_AFTER_MS } from './dash/charges/queries.ts'
export { eraseStaffCustomer } from './dash/customers/changes.ts'
export { getStaffCustomer, listStaffCustomers } from './dash/customers/queries.ts'
export { replayDelivery } from './dash/deliveries/changes.ts'
export { getStaffDelivery, listStaffDeliveries } from './dash/deliveries/queries.ts'
export { disableMerchantClient, enableMerchantClient } from './dash/deployment/changes.ts'
export { listMerchantClients, listStaffRails, type Registration } from './dash/deployment/queries.ts'
export { retryFanout } from './dash/fanouts/changes.ts'
export { listFanouts } from './dash/fanouts/queries.ts'
export { moveStaffInvoice } from './dash/invoices/changes.ts'
export { getStaffInvoice, listStaffInvoices } from './dash/invoices/queries.ts'
export { lookUp } from './dash/lookup/queries.ts'
export { getOverview } from './dash/overview/queries.ts'
export { parseStaffPage } from './dash/pages/page.ts'
export { cancelStaffIntent } from './dash/payment-intents/changes.ts'
export { getStaffIntent, listStaffIntents } from './dash/payment-intents/queries.ts'
export { refundStaffIntent } from './dash/refunds/changes.ts'
export { listStaffRefunds } from './dash/refunds/queries.ts'
export { ATTEMPTS_MAX, delayAfterMs } from './deliveries/ladder.ts'
export { deliveryLifecycle } from './deliveries/lifecycle.ts'
export {
  type Attempt,
  claimDeliveries,
  type DeliveryJob,
  type EndpointsOf,
  fanOut,
  finishAttempts,
  type FinishedDelivery,
  JOB_THROWS_MAX,
  recordJobThrow,
  ENDPOINT_MISSING_MAX_MS,
  leaveToOthers,
  findLostDeliveries,
  type LostDelivery,
  type RescueCursor,
  rescueDeliveries,
} from './deliveries/store.ts'
export { type Rehearsal, rehearsalOf } from './rehearsal.ts'
export type { Deployment, Deps } from './deps.ts'
export { clientDisabled } from './door.ts'
export { ERASURES_MAX, finishErasures, type FinishReport } from './erasure/erase.ts'
export { eraseIdleCustomers, IDLE_MAX } from './erasure/retention.ts'
export { getEvent, listEvents } from './events/queries.ts'
export {
  FANOUT_FAILURES_MAX,
  type FanoutEvent,
  findDueFanouts,
  postponeFanouts,
  recordFanoutFailure,
} from './events/store.ts'
export { type Fault, type FaultPoint, faultPoints } from './fault-points.ts'
export { takeTurns } from './gather/turns.ts'
export { gatherWrites, type Writes } from './gather/writes.ts'
export { type Answer, fingerprintOf, KEY_LIFE_MS, type KeyClaim, type KeyScope } from './idempotency/key.ts'
export { settleRefusal } from './idempotency/store.ts'
export {
  type ChargeId,
  type CheckoutSessionId,
  createdOf,
  type CustomerId,
  type DeliveryId,
  type EventId,
  type Id,
  idOf,
  type InvoiceId,
  type MerchantId,
  mintedAtMs,
  mintId,
  parseId,
  type PaymentIntentId,
  type RefundId,
  uuidOf,
} from './ids.ts'
export {
  createInvoiceItem,
  deleteInvoiceItem,
  getInvoiceItem,
  updateInvoiceItem,
} from './invoice-items/commands.ts'
export { createInvoice, deleteInvoice, updateInvoice } from './invoices/commands.ts'
export { invoiceLifecycle } from './invoices/lifecycle.ts'
export { finalizeInvoice, markInvoiceUncollectible, voidInvoice } from './invoices/moves.ts'
export { payInvoice } from './invoices/pay.ts'
export { getInvoice, listInvoices } from './invoices/queries.ts'
export { changesOf } from './lifecycle.ts'
export {
  adoptSigningKey,
  type Adoption,
  isClientDisabled,
  type JtiVerdict,
  listPublishableKeys,
  type PublishableKey,
  type SigningJwk,
} from './oauth/index.ts'
export { type Merchant, type Merchants, merchantsOf } from './merchants.ts'
export { newMetadata } from './metadata.ts'
export { type PageQuery, parsePage } from './pages/page.ts'
export { cancelIntent } from './payment-intents/cancel.ts'
export { confirmIntent } from './payment-intents/confirm.ts'
export { createIntent } from './payment-intents/create.ts'
export { type Intent, moveIntent } from './payment-intents/intent.ts'
export { intentLifecycle } from './payment-intents/lifecycle.ts'
export { getIntent, listPaymentIntents } from './payment-intents/queries.ts'
export { type Msisdn, parseMsisdn } from './phone.ts'
export { railsOutOfReach } from './rails/addresses.ts'
export type { RailDisplay, RailDisplays } from './rails/display.ts'
export type {
  AccountHolderOutcome,
  CallbackReference,
  CallbackRequest,
  ChargeAtRail,
  Decline,
  Locale,
  QueryOutcome,
  RailAccountHolders,
  RailAdapter,
  RailCapabilities,
  RailCode,
  RailEvidence,
  RailRefunds,
  Rails,
  RefundOutcome,
  SubmitCharge,
  SubmitOutcome,
  SubmitRefund,
} from './rails/port.ts'
export { createRefund } from './refunds/create.ts'
export {
  claimDueRefunds,
  INSTRUCT_BATCH_MAX,
  instructPart,
  instructRefunds,
  type InstructReport,
} from './refunds/instruct.ts'
export { instructionLifecycle } from './payouts/lifecycle.ts'
export { refundLifecycle } from './refunds/lifecycle.ts'
export { getRefund, listRefunds } from './refunds/queries.ts'
export { cancelRefund, updateRefund } from './refunds/update.ts'
export {
  type ClientSecretKey,
  clientSecretsOf,
  deriveSecret,
  isSameSecret,
  mintSecret,
} from './secrets.ts'
export type { StaffDeps, StaffLimits } from './staff/limits.ts'
export { READ_SHARED_MS, type StaffReader, type Viewed } from './audit/read.ts'
export { NUMBER_HANDLE_MS, type PayerNumbers, payerNumbersOf } from './dash/payer-numbers.ts'
export {
  type Identity,
  isFresh,
  reaches,
  roleOf,
  type SignedOutBy,
  type RolesByClaim,
  STAFF_IDLE_MS,
  STAFF_SESSION_MS,
  type StaffSession,
  type StepUp,
} from './staff/session.ts'
export { endProviderSessions, endStaffSession, openStaffSession, seeStaffSession } from './staff/store.ts'
export { runBatch } from './work/run-batch.ts'
export { LEASE_MS } from './work/claim.ts'
export { claimLeased, type LostClaims } from './work/leases.ts'
export { readDepths } from './work/depths.ts'
export {
  dropOldMonth,
  ensurePartitions,
  keepPlannerFloor,
  REMOVAL_MAX,
  findExpiredKeys,
  findSpentJtis,
  removeJtis,
  removeKeys,
} from './work/housekeeping.ts'
export { takeTurn } from './work/leader.ts'
export type { RailPart } from './work/rail-parts.ts'
