/** The rights of the app role on a table, besides reading it. */
type Rights = 'rows' | 'no delete' | 'no update' | 'insert' | 'read' | 'nothing'

interface Grants {
  readonly app: Rights
  /** The only columns that the app role may update, if it may not update rows. */
  readonly appUpdates?: readonly string[]
  /** The columns that the report role may not read. */
  readonly hidden?: readonly string[] | 'all'
}

/**
 * The rights of the app role and the report role on each table. A migration that creates a table grants them
 * and adds its line here.
 */
export const grants: Readonly<Record<string, Grants>> = {
  customers: { app: 'rows' },
  customer_erasures: { app: 'rows' },
  payment_intents: { app: 'no delete', hidden: ['client_secret', 'redirect_url'] },
  charges: { app: 'no delete', hidden: ['callback_secret', 'rail_token'] },
  charge_jobs: { app: 'rows' },
  checkout_sessions: { app: 'no delete', hidden: ['client_secret'] },
  refunds: { app: 'no delete' },
  refund_jobs: { app: 'rows' },
  charge_returns: { app: 'no delete' },
  return_jobs: { app: 'rows' },
  invoices: { app: 'rows' },
  invoice_items: { app: 'rows' },
  invoice_counters: { app: 'no delete' },
  // Written once. Only an erasure changes the body and the customer.
  events: { app: 'insert', appUpdates: ['body', 'customer_id'] },
  event_counters: { app: 'no delete' },
  fanout_jobs: { app: 'rows' },
  deliveries: { app: 'no delete' },
  delivery_attempts: { app: 'insert', appUpdates: ['response_excerpt', 'customer_id'] },
  delivery_jobs: { app: 'rows' },
  // Stored answers can hold secrets of payers' pages.
  idempotency_keys: { app: 'rows', hidden: 'all' },
  spent_jtis: { app: 'rows', hidden: 'all' },
  // Idempotency keys are among the row keys.
  refused_rows: { app: 'rows', hidden: ['row_key'] },
  disabled_clients: { app: 'no update' },
  signing_keys: { app: 'no delete' },
  staff_sessions: { app: 'rows', hidden: 'all' },
  audit_entries: { app: 'insert' },
  audit_chain: { app: 'read' },
  audit_head: { app: 'nothing' },
  charge_rulings: { app: 'insert' },
  payout_rulings: { app: 'insert' },
  rail_findings: { app: 'no delete' },
  statements: { app: 'no delete' },
  statement_rows: { app: 'rows' },
  charge_rollups: { app: 'rows' },
  charge_duration_rollups: { app: 'rows' },
  charge_decline_rollups: { app: 'rows' },
  intent_rollups: { app: 'rows' },
  intent_rail_rollups: { app: 'rows' },
  rollup_looks: { app: 'rows' },
  // No report needs the copies that the search makes of the charges' numbers.
  payer_numbers: { app: 'no update', hidden: 'all' },
  payer_number_walk: { app: 'read', appUpdates: ['position', 'checked_to'] },
  approval_requests: { app: 'no delete' },
  // With a key, one could test phone numbers against the audit log.
  audit_number_keys: { app: 'rows', hidden: 'all' },
  attention_items: { app: 'no delete' },
  raised_alerts: { app: 'rows' },
  bulk_jobs: { app: 'no delete' },
  staff_views: { app: 'no update' },
  staff_days: { app: 'no delete' },
  builds: { app: 'no update' },
  leases: { app: 'no delete' },
  // The owner moves merchants.
  merchant_moves: { app: 'read' },
  // The owner archives months; the app role drops them through a function.
  archived_months: { app: 'nothing' },
  schema_migrations: { app: 'read' },
}

/** The privileges' names in PostgreSQL's order. */
export const privilegesOf: Readonly<Record<Rights, readonly string[]>> = {
  rows: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  'no delete': ['INSERT', 'SELECT', 'UPDATE'],
  'no update': ['DELETE', 'INSERT', 'SELECT'],
  insert: ['INSERT', 'SELECT'],
  read: ['SELECT'],
  nothing: [],
}
