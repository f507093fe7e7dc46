import type {
  ApprovalRequest,
  AttentionAlert,
  AttentionItem,
  AuditAction,
  BulkJob,
  CancellationReason,
  Currency,
  DeclineCode,
  EventType,
  IntentStatus,
  InvoiceStatus,
  PaymentStatus,
  RefundFailure,
  RefundReason,
  RefundStatus,
  SessionStatus,
  StaffRole,
  Statement,
  StatementVerdict,
  UiMode,
} from '@merchant-payments/contract'
import type { ColumnType } from 'kysely'

/**
 * Instants are milliseconds in the code and timestamptz in the tables. They are read as numbers and written
 * as ISO text.
 */
type Instant = ColumnType<number, string, string>
type NullableInstant = ColumnType<number | null, string | null | undefined, string | null>

/**
 * An insert accepts only the first state. Updates do not accept a status: only the lifecycle's writer sets
 * one, in SQL.
 */
type Status<All, Initial> = ColumnType<All, Initial, never>

export type ChargeStatus =
  | 'submitting'
  | 'live'
  | 'unconfirmed'
  | 'succeeded'
  | 'duplicate'
  | 'failed'
  | 'abandoned'

export type ChargeRuling = 'succeeded' | 'failed'

export type InstructionState = 'unsent' | 'sent' | 'accepted' | 'refused'
export type DeliveryStatus = 'pending' | 'succeeded' | 'exhausted'
export type FanoutState = 'pending' | 'done' | 'failed'
type MoveState = 'draining' | 'frozen' | 'left' | 'arriving'

export interface CustomerTable {
  merchant_id: string
  id: string
  name: string | null
  email: string | null
  phone: string | null
  line1: string | null
  line2: string | null
  city: string | null
  state: string | null
  postal_code: string | null
  country: string | null
  latitude_microdeg: number | null
  longitude_microdeg: number | null
  metadata: ColumnType<Record<string, string>, string, string>
  livemode: boolean
  erased_at: NullableInstant
  last_used_at: Instant
  idle_since: ColumnType<Date | null, never, never>
  revision: ColumnType<number, never, number>
}

interface CustomerErasureTable {
  merchant_id: string
  customer_id: string
  request_id: string | null
  begun_at: Instant
  keeps_row: boolean
  clearing: string
  cleared_to: string[] | null
  due_at: ColumnType<number, string | undefined, string>
  lease_until: NullableInstant
  fence: ColumnType<number, number | undefined, number>
  failures: ColumnType<number, number | undefined, number>
}

export interface PaymentIntentTable {
  merchant_id: string
  id: string
  amount: number
  currency: Currency
  status: Status<IntentStatus, 'requires_payment_method'>
  payment_method_types: string[]
  customer_id: string | null
  description: string | null
  metadata: ColumnType<Record<string, string>, string, string>
  /** Set only on rows that are older than derived secrets. */
  client_secret: ColumnType<string | null, never, never>
  livemode: boolean
  invoice_id: string | null
  error_code: string | null
  error_decline_code: string | null
  error_message: string | null
  error_rail: string | null
  redirect_url: string | null
  return_url: string | null
  canceled_at: NullableInstant
  cancellation_reason: CancellationReason | null
  refund_reserved: ColumnType<number, never, never>
  revision: ColumnType<number, never, number>
}

export interface ChargeTable {
  merchant_id: string
  id: string
  payment_intent_id: string
  rail: string
  status: Status<ChargeStatus, 'submitting'>
  amount: number
  currency: Currency
  customer_id: string | null
  payer_msisdn: string | null
  reference: string
  rail_token: string | null
  callback_secret: string | null
  rail_txn_id: string | null
  rail_code: string | null
  rail_message: string | null
  opened_at: Instant
  submit_deadline: Instant
  acknowledged_at: NullableInstant
  settled_at: NullableInstant
  request_id: ColumnType<string | null, string | undefined, never>
  /** The charge's number within its intent. Null on charges that are older than the limit. */
  attempt: ColumnType<number | null, number | undefined, never>
  /** Only ops_resolve_charge sets it. */
  ruling: ColumnType<ChargeRuling | null, never, never>
  /** Only ops_resolve_charge and ops_withdraw_statement set it. */
  statement: ColumnType<string | null, never, never>
  revision: ColumnType<number, never, number>
}

interface ChargeJobTable {
  merchant_id: string
  charge_id: string
  rail: string
  due_at: Instant
  lease_until: NullableInstant
  pulled: ColumnType<boolean, never, boolean>
  rung: number
  last_query_at: NullableInstant
  not_found_count: number
  failures: ColumnType<number, never, number>
  rested_at: NullableInstant
  reported_at: NullableInstant
  reported_amount: number | null
  reported_currency: string | null
  report_ruled_at: NullableInstant
}

export interface AttentionItemTable {
  id: string
  alert: AttentionAlert
  object: string
  merchant_id: string
  payment_intent_id: string | null
  facts: Readonly<Record<string, string | number | null>>
  state: string | null
  times: number
  first_at: Instant
  last_at: Instant
  status: Status<AttentionItem['status'], 'open'>
  assignee: string | null
  assignee_name: string | null
  resolved_at: NullableInstant
}

/** An alert that waits for its item. */
interface RaisedAlertTable {
  id: string
  merchant_id: string
  alert: AttentionAlert
  object: string
  facts: Readonly<Record<string, string | number | null>>
  looked_at: NullableInstant
  raised_at: Instant
}

export interface BulkJobTable {
  id: string
  kind: BulkJob['kind']
  ids: string[] | null
  merchant_id: string | null
  endpoint_id: string | null
  from_at: NullableInstant
  until_at: NullableInstant
  objects: number
  done: ColumnType<number, never, number>
  skipped: ColumnType<number, never, number>
  last_id: ColumnType<string | null, never, string>
  status: Status<BulkJob['status'], 'running'>
  reason: string
  actor_subject: string
  actor_name: string
  actor_role: Exclude<StaffRole, 'viewer'>
  slot: ColumnType<number | null, number, never>
  request_id: string
  created_at: Instant
  finished_at: NullableInstant
  due_at: ColumnType<number, never, string>
  lease_until: ColumnType<number | null, never, string | null>
  fence: ColumnType<number, never, number>
  failures: ColumnType<number, never, number>
}

export interface StaffViewTable {
  id: string
  list: string
  name: string
  search: string
  is_shared: boolean
  owner_subject: string
  owner_name: string
  created_at: Instant
}

export interface CheckoutSessionTable {
  merchant_id: string
  id: string
  payment_intent_id: string
  status: Status<SessionStatus, 'open'>
  payment_status: Status<PaymentStatus, undefined>
  customer_id: string | null
  /** Set only on rows that are older than derived secrets. */
  client_secret: ColumnType<string | null, never, never>
  ui_mode: UiMode
  success_url: string | null
  cancel_url: string | null
  return_url: string | null
  client_reference_id: string | null
  locale: 'fr' | 'en' | null
  metadata: ColumnType<Record<string, string>, string, string>
  livemode: boolean
  expires_at: Instant
  revision: ColumnType<number, never, number>
}

export interface RefundTable {
  merchant_id: string
  id: string
  payment_intent_id: string
  status: Status<RefundStatus, 'pending'>
  amount: number
  currency: Currency
  customer_id: string | null
  reason: RefundReason | null
  failure_reason: RefundFailure | null
  metadata: ColumnType<Record<string, string>, string, string>
  livemode: boolean
  opened_at: Instant
  rail: string
  reference: string
  instruction: Status<InstructionState, 'unsent' | 'sent'>
  destination_msisdn: string | null
  submit_deadline: Instant
  refusal_code: ColumnType<DeclineCode | null, never, never>
  request_id: ColumnType<string | null, string | null, never>
  rail_code: string | null
  rail_message: string | null
  revision: ColumnType<number, never, number>
}

export interface ChargeReturnTable {
  merchant_id: string
  id: string
  charge_id: string
  payment_intent_id: string
  amount: number
  currency: Currency
  customer_id: string | null
  opened_at: Instant
  rail: string
  reference: string
  instruction: Status<InstructionState, 'unsent'>
  destination_msisdn: string | null
  submit_deadline: Instant
  refusal_code: ColumnType<DeclineCode | null, never, never>
  failure_reason: ColumnType<RefundFailure | null, never, never>
  rail_code: string | null
  rail_message: string | null
  request_id: ColumnType<string | null, string | null, never>
  revision: ColumnType<number, never, number>
}

/** What an operator says of a payout for which its rail does not answer. */
export type PayoutRuling = 'paid' | 'not_paid'

interface ReturnJobTable extends Omit<RefundJobTable, 'refund_id'> {
  return_id: string
}

interface RefundJobTable {
  merchant_id: string
  refund_id: string
  rail: string
  due_at: Instant
  lease_until: NullableInstant
  tries: number
  not_found_count: number
  failures: number
  rested_at: NullableInstant
  /** Only ops_resolve_payout sets it. */
  ruling: ColumnType<PayoutRuling | null, never, null>
}

export interface InvoiceTable {
  merchant_id: string
  id: string
  status: Status<InvoiceStatus, 'draft'>
  number: number | null
  customer_id: string
  currency: Currency
  total: number
  line_count: number
  /** The bytes of all its items, changed together with `line_count`. */
  item_bytes: ColumnType<number, number | undefined, number>
  description: string | null
  due_at: NullableInstant
  payment_intent_id: string | null
  payment_method_types: string[]
  metadata: ColumnType<Record<string, string>, string, string>
  livemode: boolean
  finalized_at: NullableInstant
  paid_at: NullableInstant
  voided_at: NullableInstant
  marked_uncollectible_at: NullableInstant
  revision: ColumnType<number, never, number>
}

export interface InvoiceItemTable {
  merchant_id: string
  id: string
  invoice_id: string
  amount: number
  unit_amount: number
  quantity: number
  description: string | null
  metadata: ColumnType<Record<string, string>, string, string>
  bytes: ColumnType<number, number | undefined, number>
  revision: ColumnType<number, never, number>
}

interface EventTable {
  merchant_id: string
  id: string
  type: EventType
  body: string
  request_id: ColumnType<string | null, string | undefined, never>
  customer_id: string | null
  /** The position among the merchant's events in commit order, drawn from `event_counters`. */
  position: number
}

interface FanoutJobTable {
  event_id: string
  merchant_id: string
  fanout_state: Status<Exclude<FanoutState, 'done'>, 'pending' | undefined>
  failures: ColumnType<number, never, number>
  due_at: Instant
  missing_since: NullableInstant
}

interface DeliveryTable {
  merchant_id: string
  event_id: string
  endpoint_id: string
  id: string
  status: Status<DeliveryStatus, 'pending'>
  attempts: number
  /** Attempts on earlier ladders, each ended by a replay. */
  attempts_before: ColumnType<number, never, number>
  customer_id: string | null
  created_at: Instant
  finished_at: NullableInstant
}

interface DeliveryAttemptTable {
  merchant_id: string
  delivery_id: string
  number: number
  event_id: string
  started_at: Instant
  duration_ms: number
  status_code: number | null
  error: string | null
  response_excerpt: string | null
  customer_id: string | null
}

interface DeliveryJobTable {
  delivery_id: string
  merchant_id: string
  event_id: string
  endpoint_id: string
  due_at: Instant
  lease_until: NullableInstant
  throws: number
  dead_at: NullableInstant
  missing_since: NullableInstant
}

interface IdempotencyKeyTable {
  merchant_id: string
  scope: string
  key: string
  fingerprint: Buffer
  status: number | null
  should_retry: boolean | null
  body: string | null
  resource_id: string | null
  fence: number
  held_until: NullableInstant
  customer_id: string | null
  expires_at: Instant
}

type AuditFacts = Record<string, string | number | boolean | null>

export interface AuditEntryTable {
  id: string
  actor_subject: string
  actor_name: string
  actor_role: StaffRole
  action: AuditAction
  target: string
  merchant_id: string | null
  reason: string | null
  before: ColumnType<AuditFacts, string, never>
  after: ColumnType<AuditFacts, string, never>
  request_id: string
  /** Null for a read; so is the fingerprint. */
  idempotency_key: string | null
  fingerprint: Buffer | null
}

export interface ApprovalRequestTable {
  id: string
  merchant_id: string
  kind: ApprovalRequest['kind']
  target: string
  payment_intent_id: string
  customer_id: string | null
  amount: number
  currency: Currency
  destination_msisdn: string | null
  seen: ColumnType<AuditFacts, string, never>
  statement: string | null
  reason: string
  status: Status<ApprovalRequest['status'], 'pending'>
  requested_by: string
  requested_name: string
  requested_at: Instant
  expires_at: Instant
  request_id: string
  decided_by: ColumnType<string | null, never, never>
  decided_name: ColumnType<string | null, never, never>
  decided_at: ColumnType<number | null, never, never>
  decision_reason: ColumnType<string | null, never, never>
  obsolete_because: ColumnType<string | null, never, never>
}

interface ChargeRulingTable {
  id: ColumnType<number, never, never>
  merchant_id: string
  charge_id: string
  outcome: ChargeRuling
  reason: string
  operator: string
  statement: string | null
  ruled_at: ColumnType<number, never, never>
}

export interface RailFindingTable {
  rail: string
  kind: 'charge' | 'payout'
  reference: string
  answer: 'succeeded' | 'pending' | 'unknown_status' | 'failed' | 'not_found' | 'unasked'
  amount: number | null
  currency: string | null
  transaction_id: string | null
  source: 'log' | 'statement'
  merchant_id: string | null
  object: string | null
  found_at: Instant
  answered_at: Instant
  revision: ColumnType<number, never, number>
  /** A new answer opens the finding again. */
  closed_at: ColumnType<number | null, never, string | null>
  closed_by: ColumnType<string | null, never, string | null>
  closing_reason: ColumnType<string | null, never, string | null>
}

export interface StatementTable {
  id: string
  rail: string
  day: string
  from_at: Instant
  until_at: Instant
  status: Status<Statement['status'], 'reading'>
  parts: number
  heads: readonly string[] | null
  lines: number
  money_lines: number
  charges_sum: number
  payouts_sum: number
  matched: number
  ours_only: number
  theirs_only: number
  amount_differs: number
  duplicate: number
  step: 'replaced' | 'charges' | 'refunds' | 'returns' | 'lines' | 'done'
  cursor_merchant: string | null
  cursor_id: string | null
  cursor_n: number
  created_by: string
  created_name: string
  created_at: Instant
  closed_by: string | null
  closed_name: string | null
  closed_at: NullableInstant
}

export interface StatementRowTable {
  statement_id: string
  n: number
  rail: string
  kind: 'charge' | 'payout'
  reference: string | null
  transaction_id: string | null
  amount: number | null
  currency: string | null
  at: NullableInstant
  verdict: StatementVerdict | 'matched' | 'found_later' | null
  merchant_id: string | null
  object_kind: 'ch' | 're' | 'rt' | null
  object: string | null
  payment_intent_id: string | null
  ledger_amount: number | null
}

export interface Schema {
  customers: CustomerTable
  customer_erasures: CustomerErasureTable
  payment_intents: PaymentIntentTable
  charges: ChargeTable
  charge_jobs: ChargeJobTable
  charge_rulings: ChargeRulingTable
  attention_items: AttentionItemTable
  raised_alerts: RaisedAlertTable
  bulk_jobs: BulkJobTable
  staff_views: StaffViewTable
  rail_findings: RailFindingTable
  statements: StatementTable
  statement_rows: StatementRowTable
  /** Distinct numbers of charges, for the staff's search. */
  payer_numbers: { id: ColumnType<number, never, never>; msisdn: string }
  payer_number_walk: { only_one: boolean; position: string; checked_to: number }
  rollup_looks: { look: string; until_at: Instant }
  checkout_sessions: CheckoutSessionTable
  refunds: RefundTable
  refund_jobs: RefundJobTable
  charge_returns: ChargeReturnTable
  return_jobs: ReturnJobTable
  invoices: InvoiceTable
  invoice_items: InvoiceItemTable
  invoice_counters: { merchant_id: string; last_number: number }
  events: EventTable
  event_counters: { merchant_id: string; last_position: number }
  fanout_jobs: FanoutJobTable
  deliveries: DeliveryTable
  delivery_attempts: DeliveryAttemptTable
  delivery_jobs: DeliveryJobTable
  idempotency_keys: IdempotencyKeyTable
  spent_jtis: { jti: string; expires_at: Instant }
  refused_rows: {
    pass: string
    row_key: string
    failures: number
    error: string | null
    refused_at: Instant
    due_at: Instant
  }
  disabled_clients: {
    client_id: string
    reason: string
    disabled_at: ColumnType<number, string | undefined, never>
  }
  signing_keys: {
    kid: string
    public_jwk: ColumnType<Record<string, unknown>, string, never>
    first_used_at: Instant
    retired_at: NullableInstant
    /** Only ops_revoke_signing_key sets it, together with the person and the reason. */
    revoked_at: ColumnType<number | null, never, never>
  }
  staff_sessions: {
    secret_hash: Buffer
    subject: string
    name: string
    claims: string[]
    auth_time: NullableInstant
    provider_session_id: string | null
    last_seen_at: Instant
    expires_at: Instant
  }
  audit_entries: AuditEntryTable
  approval_requests: ApprovalRequestTable
  audit_number_keys: {
    merchant_id: string
    payment_intent_id: string
    customer_id: string | null
    key: string
  }
  /** A trigger of audit_entries writes it. */
  audit_chain: {
    position: ColumnType<number, never, never>
    entry_id: ColumnType<string, never, never>
    hash: ColumnType<Buffer, never, never>
  }
  builds: { app: 'api' | 'worker'; build: string; first_at: Instant }
  leases: { name: string; holder: string; lease_until: Instant }
  /** Only the tool that moves merchants writes it. */
  merchant_moves: {
    merchant_id: string
    state: ColumnType<MoveState, MoveState, MoveState>
    move_id: string
    other_cell: string
  }
  schema_migrations: { version: number }
}
