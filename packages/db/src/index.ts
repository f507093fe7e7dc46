export { monotonicMs } from './clock.ts'
export {
  type Database,
  type DatabaseOptions,
  inTransaction,
  isShared,
  openDatabase,
  type Reader,
  type Session,
  shareReads,
  sqlState,
  type Tx,
  within,
  type Writer,
} from './database.ts'
export { instant, instantOrNull } from './instant.ts'
export { type AuditHead, verifyAuditChain } from './audit-chain.ts'
export type { MerchantMove } from './moves.ts'
export { findHoldFaults, holdRestored, holdRows } from './restored.ts'
export { verifyRestore } from './verify-restore.ts'
export { connectTo, openServers, type Servers } from './servers.ts'
export { ensureAppLogin } from './app-login.ts'
export { DatabaseAwayError, isDatabaseAway, isMisconfigured } from './away.ts'
export { migrate, pendingOf, readSchemaState, verifySchema } from './migrations/migrate.ts'
export { retryLocks } from './migrations/lock-retries.ts'
export {
  differencesOf,
  readState,
  requireSchema,
  SchemaBehindError,
  type SchemaState,
} from './migrations/state.ts'
export { isReady } from './boot.ts'
export { prepareDatabase } from './prepare.ts'
export { fitPools, type PoolSize } from './pool-sizes.ts'
export { isOfStandby, SETTLED_AFTER_MS, type Standby, STANDBY_LAG_MAX_MS, watchStandby } from './standby.ts'
export { readCommitWaitMs } from './commit-wait.ts'
export { type HeldSnapshot, readHeldSnapshots, type SnapshotHolder } from './held-snapshots.ts'
export { type Encoding, encodingColumns, WrongEncodingError } from './encoding.ts'
export { POSTGRES_MAJOR_MIN, PostgresTooOldError } from './postgres-version.ts'
export {
  FROZEN_VERSION,
  ownFolder as migrationsFolder,
  type Phase,
  readMigrations,
} from './migrations/files.ts'
export type {
  ApprovalRequestTable,
  AttentionItemTable,
  BulkJobTable,
  StaffViewTable,
  AuditEntryTable,
  ChargeReturnTable,
  ChargeRuling,
  ChargeStatus,
  ChargeTable,
  CheckoutSessionTable,
  CustomerTable,
  DeliveryStatus,
  FanoutState,
  InstructionState,
  InvoiceItemTable,
  InvoiceTable,
  PayoutRuling,
  PaymentIntentTable,
  RailFindingTable,
  RefundTable,
  Schema,
  StatementRowTable,
  StatementTable,
} from './schema.ts'
export { preparedTexts } from './named-client.ts'
export { findRoleFaults } from './role.ts'
export { type Compilable, forEachShape, type Placing, type Statement, statement } from './statement.ts'
export { readTimeMs } from './time.ts'
