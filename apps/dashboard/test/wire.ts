import type {
  ApprovalRequest,
  AuditEntry,
  StaffCharge,
  StaffChargeReturn,
  StaffDelivery,
  StaffFanout,
  StaffIntent,
  StaffIntentDetail,
  StaffMember,
} from '@merchant-payments/contract'

/** Saturday, 21 November 2026, 12:00 in Douala. */
const START_SEC = Date.UTC(2026, 10, 21, 11) / 1_000

export const idOf = (prefix: string, digit: number): string =>
  `${prefix}_${digit.toString(16).padStart(32, '0')}`

export const memberOf = (role: StaffMember['role']): StaffMember => ({
  object: 'staff_member',
  subject: 'omar',
  name: 'Omar Operator',
  role,
  csrf_token: 'csrf-of-omar',
  expires_at: START_SEC + 28_800,
})

export const intentOf = (change: Partial<StaffIntent> = {}): StaffIntent => ({
  id: idOf('pi', 1),
  object: 'payment_intent',
  amount: 12_500,
  currency: 'XAF',
  status: 'processing',
  payment_method_types: ['mtn_momo_cm'],
  customer: null,
  description: 'A bag of rice',
  metadata: {},
  last_payment_error: null,
  invoice: null,
  canceled_at: null,
  cancellation_reason: null,
  created: START_SEC,
  livemode: false,
  merchant: 'acme',
  refund_reserved: 0,
  charge: null,
  ...change,
})

export const detailOf = (change: Partial<StaffIntentDetail> = {}): StaffIntentDetail => ({
  ...intentOf(),
  checkout_session: null,
  charges: [],
  refunds: [],
  returns: [],
  approval_requests: [],
  events: [],
  deliveries: [],
  audit_entries: [],
  timeline: [{ at: START_SEC, source: 'intent', id: idOf('pi', 1), text: 'created', detail: null }],
  ...change,
})

export const chargeOf = (change: Partial<StaffCharge> = {}): StaffCharge => ({
  id: idOf('ch', 1),
  object: 'charge',
  merchant: 'acme',
  payment_intent: idOf('pi', 1),
  customer: null,
  rail: 'mtn_momo_cm',
  status: 'unconfirmed',
  amount: 12_500,
  currency: 'XAF',
  payer_msisdn: '237670000001',
  reference: '0b1e8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b',
  rail_txn_id: null,
  rail_code: null,
  rail_message: null,
  created: START_SEC,
  submit_deadline: START_SEC + 60,
  acknowledged_at: null,
  settled_at: null,
  last_query_at: null,
  next_query_at: START_SEC + 90,
  not_found_count: 0,
  ruling: null,
  request_id: null,
  ...change,
})

export const returnOf = (change: Partial<StaffChargeReturn> = {}): StaffChargeReturn => ({
  id: idOf('rt', 1),
  object: 'charge_return',
  merchant: 'acme',
  charge: idOf('ch', 1),
  payment_intent: idOf('pi', 1),
  customer: null,
  amount: 12_500,
  currency: 'XAF',
  rail: 'mtn_momo_cm',
  reference: '9d0c7a52-7f5e-4a0e-9a52-3c1d2e4f5a6b',
  instruction: 'accepted',
  failure_reason: null,
  tries: null,
  next_look_at: null,
  rested_at: null,
  rail_code: null,
  rail_message: null,
  request_id: null,
  created: START_SEC + 120,
  ...change,
})

export const approvalOf = (change: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: idOf('apr', 1),
  object: 'approval_request',
  merchant: 'acme',
  kind: 'refund.create',
  target: idOf('pi', 1),
  payment_intent: idOf('pi', 1),
  amount: 12_500,
  currency: 'XAF',
  msisdn: '237670000002',
  status: 'pending',
  reason: 'their phone was lost',
  requested_by: { subject: 'olga', name: 'Olga Operator' },
  created: START_SEC,
  expires_at: START_SEC + 86_400,
  decided_by: null,
  decided_at: null,
  decision_reason: null,
  obsolete_because: null,
  ...change,
})

export const fanoutOf = (change: Partial<StaffFanout> = {}): StaffFanout => ({
  id: idOf('evt', 1),
  object: 'fanout',
  merchant: 'acme',
  type: 'payment_intent.succeeded',
  state: 'failed',
  failures: 5,
  next_pass_at: START_SEC,
  request_id: null,
  created: START_SEC,
  ...change,
})

export const deliveryOf = (change: Partial<StaffDelivery> = {}): StaffDelivery => ({
  id: idOf('wd', 1),
  object: 'delivery',
  merchant: 'acme',
  event: idOf('evt', 1),
  event_type: 'payment_intent.succeeded',
  endpoint: 'main',
  status: 'exhausted',
  attempts: 8,
  attempts_before: 0,
  next_attempt_at: null,
  dead_lettered: false,
  created: START_SEC,
  finished_at: START_SEC + 60,
  ...change,
})

export const entryOf = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  id: idOf('au', 1),
  object: 'audit_entry',
  action: 'payment_intent.cancel',
  actor: { subject: 'omar', name: 'Omar Operator', role: 'operator' },
  target: idOf('pi', 1),
  merchant: 'acme',
  reason: 'asked by phone',
  before: { status: 'processing' },
  after: { status: 'canceled' },
  request_id: 'req_1',
  created: START_SEC,
  ...change,
})
