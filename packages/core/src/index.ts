export { findAccountHolder } from './account-holders/find.ts'
export { type Alert, type AlertFacts, type AlertName, alertNames } from './base/alerts.ts'
export { type Changed, type StaffRequest } from './audit/change.ts'
export { expireRequests } from './approvals/expire.ts'
export { listAuditEntries, listColleagues } from './screens/audit-log/queries.ts'
export type { Staff } from './audit/render.ts'
export { getAuditSeal } from './audit/store.ts'
export {
  accessBySecret,
  accessIntent,
  confirmFromBrowser,
  type Credentials,
  getBrowserIntent,
  getBrowserSession,
  isDerivedSecret,
  nothingThere,
} from './payers/access.ts'
export { collectPayerNumbers } from './payer-numbers/collect.ts'
export { findPayersAccountHolder } from './payers/account-holder.ts'
export { returnLedger } from './charge-returns/instruct.ts'
export type { Charge } from './charges/charge.ts'
export {
  claimDueCharges,
  SETTLE_BATCH_MAX,
  type SettledCharge,
  type SettleHooks,
  settlePart,
} from './settlement/settle.ts'
export { alertOfLostProofs } from './charges/lost-proofs.ts'
export { isCallbackKnown, pullForward } from './charges/store.ts'
export { createSession } from './checkout-sessions/create.ts'
export { expireSession } from './checkout-sessions/expire.ts'
export { lapseSessions } from './checkout-sessions/lapse.ts'
export { getSession, listCheckoutSessions } from './checkout-sessions/queries.ts'
export { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, secondsOf, systemClock } from './base/clock.ts'
export { createDatabaseClock } from './base/database-clock.ts'
export { createCustomer } from './customers/create.ts'
export type { Address, CustomerChanges } from './customers/customer.ts'
export { deleteCustomer } from './customers/erasure/delete.ts'
export { getCustomer, listCustomers } from './customers/queries.ts'
export { updateCustomer } from './customers/update.ts'
export { recordBuild } from './builds/record.ts'
export { type BulkReport, runBulkJobs } from './bulk/run.ts'
export { cancelBulkJob, createBulkJob, recoverDeliveries } from './bulk/staff/changes.ts'
export { getBulkJob, listBulkJobs } from './bulk/staff/queries.ts'
export { approveRequest, declineRequest } from './decisions/changes.ts'
export { type Raised, raisedOf } from './base/raised.ts'
export { reasonOf } from './base/reason-of.ts'
export { countOpenItems } from './attention/store.ts'
export { recordRaised } from './attention/record.ts'
export { acknowledgeItem, resolveItem } from './attention/staff/changes.ts'
export { listAttentionItems } from './attention/staff/queries.ts'
export { listApprovalRequests } from './approvals/staff/queries.ts'
export { returnCharge } from './charge-returns/staff/changes.ts'
export { queryCharge, resolveCharge } from './charges/staff/changes.ts'
export { listStaffCharges, STUCK_AFTER_MS, totalStaffCharges } from './charges/staff/queries.ts'
export { eraseStaffCustomer } from './customers/staff/changes.ts'
export { getStaffCustomer, listStaffCustomers } from './customers/staff/queries.ts'
export { replayDelivery } from './deliveries/staff/changes.ts'
export { getStaffDelivery, listStaffDeliveries } from './deliveries/staff/queries.ts'
export { disableMerchantClient, enableMerchantClient } from './screens/deployment/changes.ts'
export { listMerchantClients, listStaffRails, type Registration } from './screens/deployment/queries.ts'
export { retryFanout } from './events/staff/changes.ts'
export { listFanouts } from './events/staff/queries.ts'
export { moveStaffInvoice } from './invoices/staff/changes.ts'
export { getStaffInvoice, listStaffInvoices } from './invoices/staff/queries.ts'
export type { Cell } from './screens/exports/sheets.ts'
export {
  createExport,
  type ExportedRows,
  getFinanceSummary,
  openExport,
} from './screens/exports/queries.ts'
export { getStaffEvent, listStaffEvents } from './screens/event/queries.ts'
export { getClientActivity, getCustomerActivity } from './screens/activity/queries.ts'
export { getMerchant } from './screens/merchant/queries.ts'
export { getStaffRail } from './screens/rail/queries.ts'
export { removeView, saveView } from './views/staff/changes.ts'
export { listSavedViews } from './views/staff/queries.ts'
export { lookUp } from './screens/lookup/queries.ts'
export { rollUp } from './rollups/roll-up.ts'
export { getAnalytics, listRailHealth } from './screens/analytics/queries.ts'
export { getOverview } from './screens/overview/queries.ts'
export { parseStaffPage } from './pages/staff/page.ts'
export { compareStatement } from './statements/compare.ts'
export { addPart, addSums } from './statements/part.ts'
export { closeStatement, createStatement, reopenStatement } from './statements/staff/changes.ts'
export { getStatement, listStatements } from './statements/staff/queries.ts'
export type { StatementLine, StatementPart } from './statements/statement.ts'
export { getUpload, type Upload } from './statements/upload.ts'
export { cancelStaffIntent } from './payment-intents/staff/changes.ts'
export { getStaffIntent, listStaffIntents, totalStaffIntents } from './screens/payment/queries.ts'
export { refundStaffIntent } from './refunds/staff/changes.ts'
export { listStaffRefunds, totalStaffRefunds } from './refunds/staff/queries.ts'
export { ATTEMPTS_MAX, delayAfterMs } from './deliveries/ladder.ts'
export {
  BODY_PLACE_BYTES,
  claimDeliveries,
  type DeliveryJob,
  type DeliveryKey,
} from './deliveries/claim-store.ts'
export {
  type Attempt,
  fanOut,
  finishAttempts,
  type FinishedDelivery,
  JOB_THROWS_MAX,
  recordJobThrow,
  ENDPOINT_GONE,
  ENDPOINT_MISSING_MAX_MS,
  leaveToOthers,
  findLostDeliveries,
  type LostDelivery,
  type RescueCursor,
  rescueDeliveries,
  UNKNOWN_ENDPOINT_WAIT_MS,
} from './deliveries/store.ts'
export { askRailAbout } from './findings/ask.ts'
export { closeFinding } from './findings/close.ts'
export {
  type AskResult,
  type Finding,
  type FindingKey,
  isFinal,
  type Operator,
  type Sighting,
} from './findings/finding.ts'
export { closeRailFinding, listRailFindings } from './findings/staff/findings.ts'
export { recordFinding } from './findings/record.ts'
export { countOpenFindings, findKnown } from './findings/store.ts'
export { faultInjectionOf } from './base/fault-injection.ts'
export type { Deployment, Deps } from './deps.ts'
export { finishErasures } from './customers/erasure/erase.ts'
export { eraseIdleCustomers, IDLE_MAX } from './customers/erasure/retention.ts'
export { getEvent, listEvents } from './events/queries.ts'
export {
  FANOUT_FAILURES_MAX,
  failUnknownFanouts,
  type FanoutEvent,
  findDueFanouts,
  leaveFanoutsToOthers,
  postponeFanout,
  recordFanoutFailure,
} from './events/store.ts'
export { type FaultHook, type FaultPoint, faultPoints } from './base/fault-points.ts'
export { type Counts, counts } from './base/counts.ts'
export { createGate, type GateLimits } from './base/gate.ts'
export { takeTurns } from './base/turns.ts'
export { notAuthenticated } from './base/client-status.ts'
export { replayOr } from './commit/replay.ts'
export { batchWrites, type Writes } from './commit/writes.ts'
export { type Answer, fingerprintOf, KEY_LIFE_MS, type KeyClaim } from './commit/key.ts'
export { settleRefusal } from './commit/answers.ts'
export {
  type CheckoutSessionId,
  type CustomerId,
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
  type StatementId,
  uuidOf,
} from './base/ids.ts'
export {
  createInvoiceItem,
  deleteInvoiceItem,
  getInvoiceItem,
  updateInvoiceItem,
} from './invoices/item-commands.ts'
export { createInvoice, deleteInvoice, updateInvoice } from './invoices/commands.ts'
export { finalizeInvoice, markInvoiceUncollectible, voidInvoice } from './invoices/moves.ts'
export { payInvoice } from './invoices/pay.ts'
export { plainInvoiceChanges, plainInvoiceFields } from './invoices/plain-fields.ts'
export { getInvoice, listInvoices } from './invoices/queries.ts'
export { changesOf } from './base/lifecycle.ts'
export { findClientState, spendJti, whyClosed } from './oauth/clients.ts'
export {
  adoptSigningKey,
  type Adoption,
  listPublishableKeys,
  type PublishableKey,
  type SigningJwk,
} from './oauth/signing-keys.ts'
export { type Merchant, type Merchants, merchantsOf } from './base/merchants.ts'
export { newMetadata } from './base/metadata.ts'
export { parsePage } from './pages/page.ts'
export { cancelIntent } from './payment-intents/cancel.ts'
export { confirmIntent } from './payment-intents/confirm.ts'
export { createIntent } from './payment-intents/create.ts'
export type { Intent } from './payment-intents/intent.ts'
export { getIntent, listPaymentIntents } from './payment-intents/queries.ts'
export type { Msisdn } from './base/phone.ts'
export { plainCode } from './base/plain-code.ts'
export { railsOutOfReach, railsRefusingHost } from './rails/addresses.ts'
export type { RailDisplays } from './rails/display.ts'
export type {
  AccountHolderOutcome,
  HolderLookup,
  CallbackReference,
  ChargeAtRail,
  Decline,
  Locale,
  HeldBack,
  QueryOutcome,
  RailAdapter,
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
export { refundLedger } from './refunds/instruct.ts'
export {
  checkPayouts,
  claimDuePayouts,
  INSTRUCT_BATCH_MAX,
  type PayoutLedger,
} from './payouts/instruct.ts'
export type { Due, Payout } from './payouts/payout.ts'
export { getRefund, listRefunds } from './refunds/queries.ts'
export { cancelRefund, updateRefund } from './refunds/update.ts'
export {
  type ClientSecretKey,
  clientSecretsOf,
  deriveSecret,
  isSameSecret,
  mintSecret,
} from './base/secrets.ts'
export { isOfWaiting } from './base/refused-statements.ts'
export type { StaffDeps, StaffLimits } from './staff/limits.ts'
export { READ_SHARED_MS, type StaffReader, type Viewed } from './audit/read.ts'
export { NUMBER_HANDLE_MS, type PayerNumbers, payerNumbersOf } from './staff/payer-numbers.ts'
export {
  type Identity,
  isFresh,
  reaches,
  roleOf,
  type SignedOutBy,
  type RolesByClaim,
  STAFF_IDLE_MS,
  STAFF_SESSION_MS,
  type StepUp,
} from './staff/session.ts'
export { endProviderSessions, endStaffSession, openStaffSession, seeStaffSession } from './staff/store.ts'
export { runBatch, unlessRefused } from './queue/run-batch.ts'
export { sweepRows } from './queue/sweep-rows.ts'
export { LEASE_MS, type ClaimCursor } from './queue/claim.ts'
export { type Floors, newFloors } from './queue/floors.ts'
export { claimLeased, type LostClaims } from './queue/leases.ts'
export { readUndecided } from './queue/undecided.ts'
export { readDepths } from './queue/depths.ts'
export { readDueWork } from './queue/due-work.ts'
export {
  dropOldMonth,
  type Retention,
  ensurePartitions,
  keepPlannerFloor,
  sweepJtis,
  sweepKeys,
} from './queue/housekeeping.ts'
export { keepTurn, takeTurn } from './queue/leader.ts'
export { newWalk, type Walk } from './queue/walk.ts'
export type { RailPart } from './queue/rail-parts.ts'
