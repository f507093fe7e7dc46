/** Rows of another table that are copied and removed in the transaction of a page of roots. */
interface Child {
  readonly table: string
  /** Names a row of the table `of` by its id: a root, or one of `before`. */
  readonly column: string
  readonly of: string
}

/** Rows that are copied page by page. Each page is one transaction of the cell that gets it. */
export interface Unit {
  readonly table: string
  /** The column with the merchant. */
  readonly merchant: 'merchant_id' | 'client_id'
  /** Which rows are roots, where not all are. */
  readonly where?: string
  /** Children of the roots that are inserted before them, because a foreign key of the roots is not deferrable. */
  readonly before: readonly Child[]
  /** In the order in which they are inserted, after the roots. */
  readonly children: readonly Child[]
}

const whole = (table: string): Unit => ({ table, merchant: 'merchant_id', before: [], children: [] })

/** The counts of merchants, which each cell also sums up over all of its merchants. */
export const rollupTables = [
  'charge_rollups',
  'charge_duration_rollups',
  'charge_decline_rollups',
  'intent_rollups',
  'intent_rail_rollups',
] as const

const ofIntents: readonly Child[] = ['charges', 'refunds', 'charge_returns', 'checkout_sessions'].map(
  (table) => ({ table, column: 'payment_intent_id', of: 'payment_intents' }),
)

/**
 * The tables that move with a merchant, in the order in which they are copied. Constraints between an intent and what belongs to it
 * hold at each commit, so these rows move together: an invoice with all the intents that it has minted, of which it names
 * the last. Jobs come last.
 */
export const units: readonly Unit[] = [
  { ...whole('disabled_clients'), merchant: 'client_id' },
  whole('customers'),
  whole('customer_erasures'),
  { ...whole('payment_intents'), where: 'invoice_id is null', children: ofIntents },
  {
    ...whole('invoices'),
    before: [{ table: 'payment_intents', column: 'invoice_id', of: 'invoices' }],
    children: [{ table: 'invoice_items', column: 'invoice_id', of: 'invoices' }, ...ofIntents],
  },
  whole('invoice_counters'),
  whole('event_counters'),
  whole('events'),
  whole('deliveries'),
  whole('delivery_attempts'),
  whole('idempotency_keys'),
  whole('attention_items'),
  whole('raised_alerts'),
  ...rollupTables.map(whole),
  whole('charge_jobs'),
  whole('refund_jobs'),
  whole('return_jobs'),
  whole('fanout_jobs'),
  whole('delivery_jobs'),
]

/** Every table of which a merchant's rows are copied, fenced, compared and removed. */
export const movedTables: readonly string[] = [
  ...new Set(units.flatMap((unit) => [unit, ...unit.before, ...unit.children].map(({ table }) => table))),
]

/** The tables of jobs that a worker leases. */
export const leasedTables = [
  'charge_jobs',
  'refund_jobs',
  'return_jobs',
  'delivery_jobs',
  'customer_erasures',
] as const

/** The jobs of a merchant that has left have no work here. */
export const jobTables = [
  'charge_jobs',
  'refund_jobs',
  'return_jobs',
  'fanout_jobs',
  'delivery_jobs',
  'customer_erasures',
] as const

/** The other tables, each with the reason why its rows stay in their cell. */
export const stayingTables: Readonly<Record<string, string>> = {
  archived_months: 'the archives of a cell stay where they are',
  approval_requests:
    'a decision of the cell’s staff; a pending one expires, and is requested again in the new cell',
  audit_chain: 'the audit log of a cell stays in it',
  audit_entries: 'the audit log of a cell stays in it',
  audit_head: 'the audit log of a cell stays in it',
  audit_number_keys: 'belongs to the audit log; `forget` removes the keys of customers',
  bulk_jobs: 'a job of the cell’s staff; it skips what has left',
  charge_rulings: 'append-only, as the audit log; the ruling itself is a column of the charge',
  leases: 'belongs to processes of the cell',
  builds: 'what has run in the cell',
  merchant_moves: 'the state of the move in this cell',
  payer_number_walk: 'how far the cell’s worker has collected; it is set back for a merchant that comes',
  payer_numbers: 'the cell’s worker collects them from the charges',
  payout_rulings: 'append-only, as the audit log; the ruling itself is a column of the job',
  rail_findings: 'what the cell’s restore has lost',
  refused_rows: 'rests of the passes of the cell’s worker',
  rollup_looks: 'how far the cell’s worker has counted',
  schema_migrations: 'each cell has its schema',
  signing_keys: 'cells share their signing keys',
  spent_jtis: 'names no merchant, and lives for minutes',
  staff_days: 'limits of the cell’s staff',
  staff_sessions: 'staff sign in to each cell',
  staff_views: 'staff sign in to each cell',
  statement_rows: 'compared with the ledger of the cell at its day',
  statements: 'compared with the ledger of the cell at its day',
}
